import { ArrowDown } from 'lucide-react'
import { Button } from '../../kit/button.tsx'
import type { Chat } from '../../parts/chats/chat-storage.ts'
import { findPath } from '../../parts/chats/chat-tree.ts'
import { usePlayground } from '../../parts/chats/playground-store.ts'
import { EmptyChat } from './empty-chat.tsx'
import { ReplayNotice } from './replay-notice.tsx'
import { Turn } from './turn.tsx'
import { useFollow } from './use-follow.ts'

interface ConversationProps {
  chat: Chat
  models: readonly string[]
  onSuggest: (text: string) => void
}

export function Conversation({ chat, models, onSuggest }: ConversationProps) {
  const sentId = usePlayground((store) => store.sentId)
  const { scroller, content, onScroll, away, jumpToEnd } = useFollow(chat.id, sentId)
  const path = findPath(chat)
  const end = path.at(-1)
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
        <div ref={content} className="flex min-h-full flex-col">
          {path.length === 0 ? (
            <div className="m-auto">
              <EmptyChat models={models} onSuggest={onSuggest} />
            </div>
          ) : (
            <div className="flex flex-col gap-2 py-6">
              {chat.replayOf ? <ReplayNotice replayOf={chat.replayOf} /> : null}
              {path.map((exchange) => (
                <Turn key={exchange.id} exchange={exchange} models={models} last={exchange === end} />
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
