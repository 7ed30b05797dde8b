import { useLayoutEffect, useRef } from 'react'
import type { Chat } from '../../playground/chat-storage.ts'
import { findPath } from '../../playground/chat-tree.ts'
import { usePlayground } from '../../playground/playground-store.ts'
import { EmptyChat } from './empty-chat.tsx'
import { ReplayNotice } from './replay-notice.tsx'
import { Turn } from './turn.tsx'

/** The view follows a growing answer while it is scrolled to within this distance of the end. */
const FOLLOW_PX = 80

interface ConversationProps {
  chat: Chat
  models: readonly string[]
  onSuggest: (text: string) => void
}

export function Conversation({ chat, models, onSuggest }: ConversationProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const following = useRef(true)
  const streaming = usePlayground((store) => store.streaming)
  const path = findPath(chat)
  const end = path.at(-1)
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows new content at the end
  useLayoutEffect(() => {
    const view = scroller.current
    if (view && following.current) view.scrollTop = path.length === 0 ? 0 : view.scrollHeight
  }, [chat.id, path.length, end?.answers, streaming])

  return (
    <div
      ref={scroller}
      role="log"
      aria-label="Conversation"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable from the keyboard
      tabIndex={0}
      className="min-h-0 flex-1 overflow-y-auto bg-canvas px-6 -outline-offset-2"
      onScroll={({ currentTarget: view }) => {
        following.current = view.scrollHeight - view.scrollTop - view.clientHeight < FOLLOW_PX
      }}
    >
      {path.length === 0 ? (
        <div className="flex min-h-full items-center justify-center">
          <EmptyChat models={models} onSuggest={onSuggest} />
        </div>
      ) : (
        <div className="flex flex-col gap-2 py-6">
          {chat.replayOf ? <ReplayNotice replayOf={chat.replayOf} /> : null}
          {path.map((exchange) => (
            <Turn key={exchange.id} chat={chat} exchange={exchange} models={models} last={exchange === end} />
          ))}
        </div>
      )}
    </div>
  )
}
