import type { RequestRecord } from '../../../shared/api/requests.ts'
import type { Chat, ChatSettings, ToolResult } from './chat-storage.ts'

export interface PlaygroundStore {
  /** Newest first, always including the current one. */
  chats: Chat[]
  currentId: string
  streaming: boolean
  /** The last exchange that was sent; the conversation is scrolled to it. */
  sentId: string | null
  change(part: Partial<ChatSettings>): void
  /** `model`: the only one that answers; by default, those of the chat before. */
  startChat(model?: string): void
  /** Adds a chat, such as a replayed request, and opens it. */
  addChat(chat: Chat): void
  openChat(id: string): void
  /** Returns a function that puts it back. */
  removeChat(id: string): () => void
  /** `title`: blank for the first question. */
  changeChat(id: string, part: Partial<Pick<Chat, 'title' | 'pinned'>>): void
  /**
   * Sends a question to every model of the current chat, or `results` to the models that called the tools. `parent` is
   * the exchange that it follows, by default the last one shown.
   */
  send(
    text: string,
    images?: readonly string[],
    parent?: string | null,
    results?: readonly ToolResult[],
  ): Promise<void>
  /** Requests the answers of an exchange that has none yet. */
  ask(exchangeId: string, models?: readonly string[]): Promise<void>
  /** Requests another answer; the earlier ones are kept as versions. */
  regenerate(exchangeId: string, column: number, model?: string): Promise<void>
  /** Shows another version of a column's answer. */
  selectAnswer(exchangeId: string, answerId: string): void
  /** Shows the branch that contains an exchange. */
  showBranch(exchangeId: string): void
  /** Ends the running answers, or only that of a column. */
  stop(column?: number): void
  /** Updates the cost of an answer from its request record; a stopped stream never reports it. */
  settle(record: RequestRecord): void
}

export function currentChat({
  chats,
  currentId,
}: Pick<PlaygroundStore, 'chats' | 'currentId'>): Chat | undefined {
  return chats.find(({ id }) => id === currentId)
}
