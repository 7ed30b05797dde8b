// Owns what the playground holds and what can be done with it, as a shape. How it is done stands in `playground.ts`.
import type { RequestRecord } from '../../shared/requests.ts'
import type { Chat, ChatSettings, ToolResult } from './chat-storage.ts'

export interface PlaygroundStore {
  /** The newest first; the current one is never missing. */
  chats: Chat[]
  currentId: string
  streaming: boolean
  change(part: Partial<ChatSettings>): void
  startChat(): void
  /** Adds a conversation that was made elsewhere, and shows it. */
  addChat(chat: Chat): void
  openChat(id: string): void
  removeChat(id: string): void
  /**
   * Asks every model of the current chat, or those whose tools gave `results`. `parent`: what it goes on from, by default
   * the end of what is in sight.
   */
  send(
    text: string,
    images?: readonly string[],
    parent?: string | null,
    results?: readonly ToolResult[],
  ): Promise<void>
  /** Asks for the answers of an exchange that has none yet. */
  ask(exchangeId: string, models?: readonly string[]): Promise<void>
  /** Asks for another answer in the place of one; the earlier stays at hand. */
  regenerate(exchangeId: string, column: number, model?: string): Promise<void>
  /** Shows another answer of a column. */
  pick(exchangeId: string, answerId: string): void
  /** Shows the branch that an exchange is on. */
  showBranch(exchangeId: string): void
  stop(): void
  /** Takes the settled cost of an answer from its record: of one that was stopped, nothing else tells it. */
  settle(record: RequestRecord): void
}

export function currentChat({
  chats,
  currentId,
}: Pick<PlaygroundStore, 'chats' | 'currentId'>): Chat | undefined {
  return chats.find(({ id }) => id === currentId)
}
