import { expect, test } from 'vitest'
import { answerOf, askFor, branchesOf, endOf, pathOf, titleOf } from './chat-tree.ts'
import { type Answer, type Chat, type Exchange, newAnswer, newChat, newExchange } from './chats-kept.ts'

function asked(parent: string | null, text: string, ...answers: Partial<Answer>[]): Exchange {
  return {
    ...newExchange(parent, text, []),
    answers: answers.map((part) => ({ ...newAnswer(0, 'm'), state: 'done', ...part })),
  }
}

function chatOf(exchanges: Exchange[], part: Partial<Chat> = {}): Chat {
  return { ...newChat(), exchanges, tip: exchanges.at(-1)?.id ?? null, ...part }
}

test('a model is asked with the way to the question, and nothing of other branches', () => {
  const first = asked(null, 'one', { text: 'uno' })
  const left = asked(first.id, 'left', { text: 'sinistra' })
  const right = asked(first.id, 'right')
  const chat = chatOf([first, left, right], { system: 'Be brief.' })
  expect(askFor(chat, right.id, 0, 'm').messages).toEqual([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'one' },
    { role: 'assistant', content: 'uno' },
    { role: 'user', content: 'right' },
  ])
  expect(branchesOf(chat, right).map(({ text }) => text)).toEqual(['left', 'right'])
  expect(endOf(chat, first.id)).toBe(right.id)
  expect(pathOf(chat, left.id).map(({ text }) => text)).toEqual(['one', 'left'])
})

test('each lane sees its own answers, and the first lane’s where it was not asked', () => {
  const first = asked(null, 'one', { text: 'only' })
  const second = asked(first.id, 'two', { text: 'a', lane: 0 }, { text: 'b', lane: 1 })
  const third = asked(second.id, 'three')
  const chat = chatOf([first, second, third])
  const said = (lane: number) =>
    askFor(chat, third.id, lane, 'm').messages.filter(({ role }) => role === 'assistant')
  expect(said(0).map(({ content }) => content)).toEqual(['only', 'a'])
  expect(said(1).map(({ content }) => content)).toEqual(['only', 'b'])
})

test('what failed or said nothing is left out with its question', () => {
  const first = asked(null, 'one', { text: '', state: 'stopped' })
  const second = asked(first.id, 'two', { text: 'half', state: 'failed' })
  const third = asked(second.id, 'three')
  expect(askFor(chatOf([first, second, third]), third.id, 0, 'm').messages).toEqual([
    { role: 'user', content: 'three' },
  ])
})

test('the newest answer stands unless an older one is picked', () => {
  const exchange = asked(null, 'one', { id: 'a', text: '1' }, { id: 'b', text: '2' })
  expect(answerOf(exchange, 0)?.text).toBe('2')
  expect(answerOf({ ...exchange, picked: { 0: 'a' } }, 0)?.text).toBe('1')
})

test('images are parts of the question', () => {
  const exchange = newExchange(null, 'What is this?', ['data:image/png;base64,AA=='])
  expect(askFor(chatOf([exchange]), exchange.id, 0, 'm').messages).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
      ],
    },
  ])
})

test('settings that cannot be read are left to the model', () => {
  const exchange = newExchange(null, 'Hi', [])
  const chat = chatOf([exchange], { temperature: 'hot', maxTokens: '12', tools: '[' })
  expect(askFor(chat, exchange.id, 0, 'm')).toEqual({
    model: 'm',
    messages: [{ role: 'user', content: 'Hi' }],
    maxTokens: 12,
  })
})

test('a conversation is called by its first line', () => {
  expect(titleOf(chatOf([asked(null, '  Hello\nthere')]))).toBe('Hello')
  expect(titleOf(chatOf([]))).toBe('Untitled')
})
