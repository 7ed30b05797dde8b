// Owns conversations to test with.
import {
  type Answer,
  type Chat,
  type Exchange,
  newAnswer,
  newChat,
  newExchange,
} from '../../playground/chat-storage.ts'

/** A question with its answers, all of the first lane and done unless said otherwise. */
export function asked(parent: string | null, text: string, ...answers: Partial<Answer>[]): Exchange {
  return {
    ...newExchange(parent, text, []),
    answers: answers.map((part) => ({ ...newAnswer(0, 'm'), state: 'done', ...part })),
  }
}

/** A conversation whose last exchange is in sight. */
export function chatOf(exchanges: Exchange[], part: Partial<Chat> = {}): Chat {
  return { ...newChat(), exchanges, tip: exchanges.at(-1)?.id ?? null, ...part }
}
