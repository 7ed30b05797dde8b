import type { Chat } from './chat-storage.ts'
import { getTitle } from './chat-tree.ts'

export interface ChatGroup {
  /** `pinned`, or the day (YYYY-MM-DD) on which its chats started. */
  name: string
  chats: Chat[]
}

/** The chats with a question that contain a text, pinned ones first, then by day, newest first. */
export function groupChats(
  chats: readonly Chat[],
  text: string,
  getDay: (startedAt: number) => string,
): ChatGroup[] {
  const query = text.trim().toLowerCase()
  const found = chats
    .filter((chat) => chat.exchanges.length > 0 && includesText(chat, query))
    .toSorted((a, b) => Number(b.pinned) - Number(a.pinned) || b.startedAt - a.startedAt)
  const groups = Map.groupBy(found, (chat) => (chat.pinned ? 'pinned' : getDay(chat.startedAt)))
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
