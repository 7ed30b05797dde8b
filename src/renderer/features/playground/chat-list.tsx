import { Search } from 'lucide-react'
import { useState } from 'react'
import { useShallow } from 'zustand/react/shallow'
import { useTimeZone } from '../../data/hooks.ts'
import { formatDay, getDay } from '../../kit/format.ts'
import { moveFocus } from '../../kit/row-keys.ts'
import { useNow } from '../../kit/use-now.ts'
import type { Chat } from '../../parts/chats/chat-storage.ts'
import { getTitle } from '../../parts/chats/chat-tree.ts'
import { usePlayground } from '../../parts/chats/playground-store.ts'
import { ChatRow } from './chat-row.tsx'

const DAY_MS = 86_400_000

interface ChatListProps {
  /** A chat was opened. */
  onOpened: () => void
}

/** All chats: search, open, rename, pin, export and delete. Arrow keys move through the list. */
export function ChatList({ onOpened }: ChatListProps) {
  // The texts of a growing answer do not change the list.
  const chats = usePlayground(useShallow((store) => store.chats.filter(({ id }) => id !== store.currentId)))
  const current = usePlayground(
    useShallow((store) => {
      const chat = store.chats.find(({ id }) => id === store.currentId)
      return chat && { id: chat.id, title: chat.title, pinned: chat.pinned, questions: chat.exchanges.length }
    }),
  )
  const [text, setText] = useState('')
  const [focused, setFocused] = useState<string | null>(null)
  const timeZone = useTimeZone()
  const now = useNow()
  const open = usePlayground.getState().chats.find(({ id }) => id === current?.id)
  const groups = groupChats(open ? [open, ...chats] : chats, text, (at) => getDay(at, timeZone))
  const ids = groups.flatMap((group) => group.chats.map(({ id }) => id))
  const reachable = focused !== null && ids.includes(focused) ? focused : (current?.id ?? null)
  const inTabOrder = reachable !== null && ids.includes(reachable) ? reachable : ids[0]

  const getName = ({ name }: ChatGroup) => {
    if (name === 'pinned') return 'Pinned'
    if (name === getDay(now, timeZone)) return 'Today'
    if (name === getDay(now - DAY_MS, timeZone)) return 'Yesterday'
    return formatDay(`${name}T12:00:00Z`, now, 'UTC')
  }
  return (
    <>
      <div className="relative mx-3 mb-2 shrink-0">
        <Search size={14} aria-hidden className="absolute top-2 left-2.5 text-ink-3" />
        <input
          type="search"
          aria-label="Search chats"
          placeholder="Search chats"
          value={text}
          onChange={(event) => setText(event.target.value)}
          className="h-[30px] w-full rounded-md border border-line-strong bg-surface pr-2 pl-8 placeholder:text-ink-3"
        />
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys are an addition; each row is a button */}
      <div
        onKeyDown={(event) => moveFocus(event, '[data-row]')}
        className="min-h-0 flex-1 overflow-y-auto px-2 pb-3"
      >
        {groups.map((group) => (
          <section key={group.name} aria-label={getName(group)}>
            <h3 className="px-2 pt-3 pb-1 font-medium text-ink-3 text-xs">{getName(group)}</h3>
            <ul>
              {group.chats.map((chat) => (
                <ChatRow
                  key={chat.id}
                  chat={chat}
                  current={chat.id === current?.id}
                  inTabOrder={chat.id === inTabOrder}
                  onFocus={() => setFocused(chat.id)}
                  onOpened={onOpened}
                />
              ))}
            </ul>
          </section>
        ))}
        {groups.length === 0 ? (
          <p role="status" className="px-2 py-6 text-center text-ink-3">
            {text.trim() ? 'No chats found.' : 'Your chats appear here. They stay on this computer.'}
          </p>
        ) : null}
      </div>
    </>
  )
}

interface ChatGroup {
  /** `pinned`, or the day (YYYY-MM-DD) on which its chats started. */
  name: string
  chats: Chat[]
}

/** The chats with a question that contain a text, pinned ones first, then by day, newest first. */
function groupChats(
  chats: readonly Chat[],
  text: string,
  getDay: (startedAt: number) => string,
): ChatGroup[] {
  const query = text.trim().toLowerCase()
  const matches = chats
    .filter((chat) => chat.exchanges.length > 0 && includesText(chat, query))
    .toSorted((a, b) => Number(b.pinned) - Number(a.pinned) || b.startedAt - a.startedAt)
  const groups = Map.groupBy(matches, (chat) => (chat.pinned ? 'pinned' : getDay(chat.startedAt)))
  return [...groups].map(([name, members]) => ({ name, chats: members }))
}

function includesText(chat: Chat, query: string): boolean {
  return (
    query === '' ||
    getTitle(chat).toLowerCase().includes(query) ||
    chat.exchanges.some(
      ({ text, results, answers }) =>
        text.toLowerCase().includes(query) ||
        results.some(({ content }) => content.toLowerCase().includes(query)) ||
        answers.some((answer) => answer.text.toLowerCase().includes(query)),
    )
  )
}
