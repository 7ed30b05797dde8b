import { expect, test } from 'vitest'
import { asked, chatOf } from '../stores/testing/chats.ts'
import { askFor } from './chat-ask.ts'
import { newExchange } from './chat-storage.ts'

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

const call = (id: string) => ({ id, name: 'weather', arguments: `{"city":"${id}"}` })
const result = (callId: string, lane = 0) => ({
  lane,
  callId,
  name: 'weather',
  content: `sunny in ${callId}`,
})
const results = (parent: string, ...given: ReturnType<typeof result>[]) => newExchange(parent, '', [], given)

test('results of tools follow the calls they belong to', () => {
  const first = asked(null, 'one', { text: 'Let me look.', toolUses: [call('Rome'), call('Oslo')] })
  const second = results(first.id, result('Rome'), result('Oslo'))
  expect(askFor(chatOf([first, second]), second.id, 0, 'm').messages).toEqual([
    { role: 'user', content: 'one' },
    {
      role: 'assistant',
      content: 'Let me look.',
      tool_calls: [
        { id: 'Rome', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } },
        { id: 'Oslo', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'Rome', content: 'sunny in Rome' },
    { role: 'tool', tool_call_id: 'Oslo', content: 'sunny in Oslo' },
  ])
})

test('a call without a result is left out, and the answer with it when it said nothing else', () => {
  const first = asked(null, 'one', { toolUses: [call('Rome')] })
  const second = asked(first.id, 'never mind')
  expect(askFor(chatOf([first, second]), second.id, 0, 'm').messages).toEqual([
    { role: 'user', content: 'never mind' },
  ])
  const two = asked(null, 'one', { toolUses: [call('Rome'), call('Oslo')] })
  const half = results(two.id, result('Oslo'))
  const { messages } = askFor(chatOf([two, half]), half.id, 0, 'm')
  expect(messages[1]).toMatchObject({ content: null, tool_calls: [{ id: 'Oslo' }] })
  expect(messages).toHaveLength(3)
})

test('a result stays with its call when the answer to it failed', () => {
  const first = asked(null, 'one', { toolUses: [call('Rome')] })
  const second = {
    ...results(first.id, result('Rome')),
    answers: asked(null, '', { state: 'failed' }).answers,
  }
  const third = asked(second.id, 'again?')
  expect(askFor(chatOf([first, second, third]), third.id, 0, 'm').messages.map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'tool',
    'user',
  ])
})

test('a lane knows nothing of what another lane’s tools gave', () => {
  const first = asked(
    null,
    'one',
    { lane: 0, toolUses: [call('Rome')] },
    { lane: 1, text: 'I know it: rainy.' },
  )
  const second = {
    ...results(first.id, result('Rome')),
    answers: asked(null, '', { text: 'Sunny.' }).answers,
  }
  const third = asked(second.id, 'and tomorrow?')
  const chat = chatOf([first, second, third])
  expect(askFor(chat, third.id, 1, 'm').messages).toEqual([
    { role: 'user', content: 'one' },
    { role: 'assistant', content: 'I know it: rainy.' },
    { role: 'user', content: 'and tomorrow?' },
  ])
  expect(askFor(chat, third.id, 0, 'm').messages.map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'tool',
    'assistant',
    'user',
  ])
})

test('further fields go along', () => {
  const exchange = newExchange(null, 'Hi')
  const chat = chatOf([exchange], { extra: '{"top_p":0.5}' })
  expect(askFor(chat, exchange.id, 0, 'm').extra).toEqual({ top_p: 0.5 })
})
