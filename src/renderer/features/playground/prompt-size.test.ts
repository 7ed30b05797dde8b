import { expect, test } from 'vitest'
import { createChat, createExchange } from '../../parts/chats/testing/chats.ts'
import { modelRow } from '../../testing/rows.ts'
import { describePrompt } from './prompt-size.ts'

const models = [
  modelRow('large', { contextWindow: 200_000, pricing: { inputPerMillion: 10, outputPerMillion: 50 } }),
  modelRow('small', { contextWindow: 8_000, pricing: { inputPerMillion: 1, outputPerMillion: 5 } }),
  modelRow('sandbox-small', { provider: 'sandbox' }),
  modelRow('unknown', { contextWindow: null, pricing: null }),
]
const asked = createChat(
  [
    createExchange(
      null,
      'one',
      { tokensIn: 3_000, tokensOut: 1_000 },
      { column: 1, tokensIn: 3_000, tokensOut: 2_000 },
    ),
  ],
  { models: ['large', 'small'] },
)
const describe = (chosen: string[], question = 'x'.repeat(4_000), chat = asked) =>
  describePrompt(chat, chosen, models, question)

test('a question adds to what the last answer read and wrote', () => {
  expect(describe(['large'])).toEqual({
    text: 'About 5,000 tokens · 3% of the context · $0.05 before the answer',
    tooLong: false,
  })
})

test('several models are paid together, and the tightest context counts', () => {
  expect(describe(['large', 'small'])?.text).toBe(
    'About 6,000 tokens · 75% of the context · $0.056 before the answer',
  )
})

test('a prompt beyond the context of a model is a warning', () => {
  expect(describe(['large', 'small'], 'x'.repeat(20_000))).toEqual({
    text: 'About 10k tokens: more than the context of small (8,000).',
    tooLong: true,
  })
})

test('the instructions count in a new chat', () => {
  const chat = createChat([], { models: ['large'], system: 'x'.repeat(400) })
  expect(describe(['large'], 'Hi', chat)?.text).toBe(
    'About 101 tokens · <1% of the context · $0.00101 before the answer',
  )
})

test('a model that was added reads the answers of the first', () => {
  expect(describe(['large', 'small', 'small'])?.text).toBe(
    'About 6,000 tokens · 75% of the context · $0.061 before the answer',
  )
})

test('nothing is said about an unknown context or price, and samples cost nothing', () => {
  expect(describe(['unknown'])?.text).toBe('About 5,000 tokens')
  expect(describe(['sandbox-small'])?.text).toBe('About 5,000 tokens · 4% of the context')
  expect(describe(['large'], ' ')).toBeNull()
})
