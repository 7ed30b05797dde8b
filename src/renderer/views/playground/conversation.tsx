// Owns the turns of a conversation, and staying at its end while an answer grows.
import { MessageSquare } from 'lucide-react'
import { useLayoutEffect, useRef } from 'react'
import { Empty } from '../../components/notice.tsx'
import type { Chat } from '../../stores/chats-kept.ts'
import { Answer } from './answer.tsx'

/** How near the end the reader must be for the view to follow. */
const NEAR_PX = 80

export function Conversation({ chat, model }: { chat: Chat; model: string }) {
  const scroller = useRef<HTMLDivElement>(null)
  const following = useRef(true)
  const end = chat.turns.at(-1)
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows what is added at the end
  useLayoutEffect(() => {
    const view = scroller.current
    if (view && following.current) view.scrollTop = view.scrollHeight
  }, [chat.id, chat.turns.length, end?.text, end?.state])

  return (
    <div
      ref={scroller}
      role="log"
      aria-label="Conversation"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable from the keyboard
      tabIndex={0}
      className="min-h-0 flex-1 overflow-y-auto px-6 -outline-offset-2"
      onScroll={({ currentTarget: view }) => {
        following.current = view.scrollHeight - view.scrollTop - view.clientHeight < NEAR_PX
      }}
    >
      {chat.turns.length === 0 ? (
        <div className="flex h-full items-center justify-center">
          <Empty icon={MessageSquare} title={model ? `Ask ${model} something` : 'Ask something'}>
            {model.startsWith('sandbox')
              ? 'The sandbox answers on this computer, with no account, and shows what a real model would: streaming, tokens, cost.'
              : 'Under each answer stands which model served it, its tokens, its cost and its time.'}
          </Empty>
        </div>
      ) : (
        <div className="mx-auto flex max-w-3xl flex-col gap-6 py-6">
          {chat.turns.map((turn) =>
            turn.role === 'user' ? (
              <div
                key={turn.id}
                className="max-w-[85%] self-end whitespace-pre-wrap break-words rounded-xl bg-sunken px-3.5 py-2"
              >
                {turn.text}
              </div>
            ) : (
              <Answer key={turn.id} turn={turn} />
            ),
          )}
        </div>
      )}
    </div>
  )
}
