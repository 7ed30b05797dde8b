import { useQuery } from '@tanstack/react-query'
import { ArrowDown, MessageSquare } from 'lucide-react'
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { queries } from '../../data/queries.ts'
import { Button } from '../../kit/button.tsx'
import { EmptyState, LoadError } from '../../kit/notice.tsx'
import { type Chat, findPath } from '../../parts/chats/chat.ts'
import { usePlayground } from '../../parts/chats/playground-store.ts'
import { Turn } from './turn.tsx'

interface ConversationProps {
  chat: Chat
  models: readonly string[]
}

export function Conversation({ chat, models }: ConversationProps) {
  const sentId = usePlayground((store) => store.sentId)
  const { scroller, onScroll, away, jumpToEnd } = useFollow(`${chat.id} ${sentId}`)
  const path = findPath(chat)
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <div
        ref={scroller}
        role="log"
        aria-label="Conversation"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable from the keyboard
        tabIndex={0}
        // Positioned, so that hidden texts in it scroll with it.
        className="relative min-h-0 flex-1 overflow-y-auto bg-canvas px-6 -outline-offset-2 [scrollbar-gutter:stable]"
        onScroll={onScroll}
      >
        <div className="flex min-h-full flex-col">
          {path.length === 0 ? (
            <div className="m-auto max-w-full">
              <EmptyChat models={models} />
            </div>
          ) : (
            <div className="flex flex-col gap-2 py-6">
              {chat.replayOf ? <ReplayNotice replayOf={chat.replayOf} /> : null}
              {path.map((exchange) => (
                <Turn key={exchange.id} exchange={exchange} last={exchange.id === chat.tip} />
              ))}
            </div>
          )}
        </div>
      </div>
      {away && path.length > 0 ? (
        <Button
          small
          icon={ArrowDown}
          onClick={jumpToEnd}
          className="-translate-x-1/2 absolute bottom-3 left-1/2 bg-raised shadow-float"
        >
          Jump to latest
        </Button>
      ) : null}
    </div>
  )
}

function ReplayNotice({ replayOf: { requestId, notes } }: { replayOf: NonNullable<Chat['replayOf']> }) {
  return (
    <aside className="mx-auto mb-3 w-full max-w-3xl rounded-lg border border-line bg-canvas px-3.5 py-2 text-ink-2 text-sm">
      From a recorded request. {notes.join(' ')}{' '}
      <Link href={`/requests/${requestId}`} className="text-accent-ink underline">
        View request
      </Link>
    </aside>
  )
}

const suggestions = [
  'Explain what an LLM gateway does, in three sentences.',
  'Write a TypeScript function that groups an array by a key.',
  'List three ways to cap what a program spends, as a table.',
]

function EmptyChat({ models }: { models: readonly string[] }) {
  const { error, isLoadingError, refetch } = useQuery(queries.models)
  const { send } = usePlayground.getState()
  const [first = ''] = models
  if (isLoadingError) return <LoadError error={error} onRetry={() => void refetch()} />
  if (first === '') return <EmptyState icon={MessageSquare} title="Ask something" />
  return (
    <EmptyState
      icon={MessageSquare}
      title={`Ask ${models.length > 1 ? `${models.length} models` : first} something`}
      action={
        <div className="flex min-w-0 flex-col items-stretch gap-2">
          {suggestions.map((text) => (
            <Button
              key={text}
              className="h-auto min-h-8 justify-start whitespace-normal py-1 text-left font-normal"
              onClick={() => void send({ text })}
            >
              {text}
            </Button>
          ))}
        </div>
      }
    >
      {first.startsWith('sandbox')
        ? 'The sandbox runs on this computer and needs no account. It shows what you would see with a real model: streaming, tokens and a sample cost.'
        : 'Each answer shows its model, tokens, cost and time.'}
    </EmptyState>
  )
}

/** A view counts as being at its end when it is scrolled to within this distance of it. */
const END_PX = 80

/** Keeps a scrolling view at its end while its content grows, until the user scrolls up, or something else is `shown`. */
function useFollow(shown: string) {
  const scroller = useRef<HTMLDivElement>(null)
  const following = useRef(true)
  const lastTop = useRef(0)
  /** The user scrolled away from the end. */
  const [away, setAway] = useState(false)

  const follow = useCallback((next: boolean) => {
    following.current = next
    setAway(!next)
    const view = scroller.current
    if (!next || !view) return
    view.scrollTop = view.scrollHeight
    // Its event may come after the user has scrolled, too.
    lastTop.current = view.scrollTop
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: it goes to the end when something else is shown
  useLayoutEffect(() => follow(true), [shown])
  useEffect(() => {
    const view = scroller.current
    if (!view?.firstElementChild) return
    const observer = new ResizeObserver(() => following.current && follow(true))
    // Also the view itself: it becomes smaller when the message has more lines.
    observer.observe(view)
    observer.observe(view.firstElementChild)
    return () => observer.disconnect()
  }, [follow])

  const onScroll = () => {
    const view = scroller.current
    if (!view) return
    const isAtEnd = view.scrollHeight - view.scrollTop - view.clientHeight < END_PX
    // Content that grew before the view followed it is not the user scrolling.
    if (isAtEnd || view.scrollTop < lastTop.current) {
      following.current = isAtEnd
      setAway(!isAtEnd)
    }
    lastTop.current = view.scrollTop
  }
  const jumpToEnd = () => {
    follow(true)
    scroller.current?.focus({ preventScroll: true })
  }
  return { scroller, onScroll, away, jumpToEnd }
}
