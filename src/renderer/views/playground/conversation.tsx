// Owns the way through a conversation that is in sight, and staying at its end while answers grow.
import { MessageSquare } from 'lucide-react'
import { useLayoutEffect, useRef } from 'react'
import { Button } from '../../components/button.tsx'
import { Empty } from '../../components/notice.tsx'
import { pathOf } from '../../stores/chat-tree.ts'
import type { Chat } from '../../stores/chats-kept.ts'
import { usePlayground } from '../../stores/playground.ts'
import { Origin } from './origin.tsx'
import { Turn } from './turn.tsx'

/** How near the end the reader must be for the view to follow. */
const NEAR_PX = 80

const suggestions = [
  'Explain what an LLM gateway does, in three sentences.',
  'Write a TypeScript function that groups an array by a key.',
  'List three ways to cap what a program spends, as a table.',
]

interface ConversationProps {
  chat: Chat
  models: readonly string[]
  onSuggest: (text: string) => void
}

export function Conversation({ chat, models, onSuggest }: ConversationProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const following = useRef(true)
  const streaming = usePlayground((store) => store.streaming)
  const path = pathOf(chat)
  const end = path.at(-1)
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows what is added at the end
  useLayoutEffect(() => {
    const view = scroller.current
    if (view && following.current) view.scrollTop = path.length === 0 ? 0 : view.scrollHeight
  }, [chat.id, path.length, end?.answers, streaming])

  const [first = ''] = models
  return (
    <div
      ref={scroller}
      role="log"
      aria-label="Conversation"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable from the keyboard
      tabIndex={0}
      className="min-h-0 flex-1 overflow-y-auto bg-canvas px-6 -outline-offset-2"
      onScroll={({ currentTarget: view }) => {
        following.current = view.scrollHeight - view.scrollTop - view.clientHeight < NEAR_PX
      }}
    >
      {path.length === 0 ? (
        <div className="flex min-h-full items-center justify-center">
          <Empty
            icon={MessageSquare}
            title={
              first
                ? `Ask ${models.length > 1 ? `${models.length} models` : first} something`
                : 'Ask something'
            }
            action={
              first ? (
                <div className="flex min-w-0 flex-col items-stretch gap-2">
                  {suggestions.map((text) => (
                    <Button
                      key={text}
                      className="min-w-0 justify-start font-normal"
                      onClick={() => onSuggest(text)}
                    >
                      <span className="truncate">{text}</span>
                    </Button>
                  ))}
                </div>
              ) : null
            }
          >
            {first.startsWith('sandbox')
              ? 'The sandbox answers on this computer, with no account, and shows what a real model would: streaming, tokens, cost.'
              : 'Under each answer stands which model served it, its tokens, its cost and its time.'}
          </Empty>
        </div>
      ) : (
        <div className="flex flex-col gap-2 py-6">
          {chat.origin ? <Origin origin={chat.origin} /> : null}
          {path.map((exchange) => (
            <Turn key={exchange.id} chat={chat} exchange={exchange} models={models} last={exchange === end} />
          ))}
        </div>
      )}
    </div>
  )
}
