// Owns conversations to test with.
import { type Answer, type Chat, type Exchange, newAnswer, newChat, newExchange } from '../chat-storage.ts'

/** A question with its answers, all of the first column and done unless said otherwise. */
export function createExchange(parent: string | null, text: string, ...answers: Partial<Answer>[]): Exchange {
  return {
    ...newExchange(parent, text, []),
    answers: answers.map((part) => ({ ...newAnswer(0, 'm'), state: 'done', ...part })),
  }
}

/** A conversation whose last exchange is in sight. */
export function createChat(exchanges: Exchange[], part: Partial<Chat> = {}): Chat {
  return { ...newChat(), exchanges, tip: exchanges.at(-1)?.id ?? null, ...part }
}
