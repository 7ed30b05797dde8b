import { type Answer, type Chat, type Exchange, newAnswer, newChat, newExchange } from '../chat.ts'

/** A question with its answers, by default finished and in the first column. */
export function createExchange(parent: string | null, text: string, ...answers: Partial<Answer>[]): Exchange {
  return newExchange(parent, {
    text,
    answers: answers.map((part) => ({ ...newAnswer(0, 'm'), state: 'done', ...part })),
  })
}

/** A chat that shows its last exchange. */
export function createChat(exchanges: Exchange[], part: Partial<Chat> = {}): Chat {
  return { ...newChat(), exchanges, tip: exchanges.at(-1)?.id ?? null, ...part }
}
