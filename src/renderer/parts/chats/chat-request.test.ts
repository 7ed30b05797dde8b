import { expect, test } from 'vitest'
import { newExchange } from './chat.ts'
import { buildChatRequest } from './chat-request.ts'
import { createChat, createExchange } from './testing/chats.ts'

test('a request contains the path to the question, and nothing from other versions', () => {
  const first = createExchange(null, 'one', { text: 'uno' })
  const left = createExchange(first.id, 'left', { text: 'sinistra' })
  const right = createExchange(first.id, 'right')
  const chat = createChat([first, left, right], { system: 'Be brief.' })
  expect(buildChatRequest(chat, right.id, 0, 'm').messages).toEqual([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'one' },
    { role: 'assistant', content: 'uno' },
    { role: 'user', content: 'right' },
  ])
})

test('each column sends its own answers, or those of the first column where it has none', () => {
  const first = createExchange(null, 'one', { text: 'only' })
  const second = createExchange(first.id, 'two', { text: 'a', column: 0 }, { text: 'b', column: 1 })
  const third = createExchange(second.id, 'three')
  const chat = createChat([first, second, third])
  const getMessages = (column: number) =>
    buildChatRequest(chat, third.id, column, 'm').messages.filter(({ role }) => role === 'assistant')
  expect(getMessages(0).map(({ content }) => content)).toEqual(['only', 'a'])
  expect(getMessages(1).map(({ content }) => content)).toEqual(['only', 'b'])
})

test('failed and empty answers are omitted with their questions', () => {
  const first = createExchange(null, 'one', { text: '', state: 'stopped' })
  const second = createExchange(first.id, 'two', { text: 'half', state: 'failed' })
  const third = createExchange(second.id, 'three')
  expect(buildChatRequest(createChat([first, second, third]), third.id, 0, 'm').messages).toEqual([
    { role: 'user', content: 'three' },
  ])
})

test('images that are in memory are sent as parts of the question', () => {
  const exchange = newExchange(null, {
    text: 'What is this?',
    images: ['', 'data:image/png;base64,AA=='],
  })
  expect(buildChatRequest(createChat([exchange]), exchange.id, 0, 'm').messages).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
      ],
    },
  ])
})

test('settings that cannot be parsed are omitted', () => {
  const exchange = createExchange(null, 'Hi')
  const chat = createChat([exchange], { temperature: 'hot', maxTokens: '12', tools: '[' })
  expect(buildChatRequest(chat, exchange.id, 0, 'm')).toEqual({
    model: 'm',
    messages: [{ role: 'user', content: 'Hi' }],
    max_tokens: 12,
  })
})

const call = (id: string) => ({ id, name: 'weather', arguments: `{"city":"${id}"}` })
const result = (callId: string, column = 0) => ({
  column,
  callId,
  name: 'weather',
  content: `sunny in ${callId}`,
})
const answerCalls = (parent: string, ...results: ReturnType<typeof result>[]) =>
  newExchange(parent, { results })

test('tool results follow their calls', () => {
  const first = createExchange(null, 'one', { text: 'Let me look.', toolUses: [call('Rome'), call('Oslo')] })
  const second = answerCalls(first.id, result('Rome'), result('Oslo'))
  expect(buildChatRequest(createChat([first, second]), second.id, 0, 'm').messages).toEqual([
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

test('a call without a result is omitted, and so is an answer with nothing else', () => {
  const first = createExchange(null, 'one', { toolUses: [call('Rome')] })
  const second = createExchange(first.id, 'never mind')
  expect(buildChatRequest(createChat([first, second]), second.id, 0, 'm').messages).toEqual([
    { role: 'user', content: 'never mind' },
  ])
  const two = createExchange(null, 'one', { toolUses: [call('Rome'), call('Oslo')] })
  const half = answerCalls(two.id, result('Oslo'))
  const { messages } = buildChatRequest(createChat([two, half]), half.id, 0, 'm')
  expect(messages[1]).toMatchObject({ content: null, tool_calls: [{ id: 'Oslo' }] })
  expect(messages).toHaveLength(3)
})

test('a result stays with its call when the next answer failed', () => {
  const first = createExchange(null, 'one', { toolUses: [call('Rome')] })
  const second = {
    ...answerCalls(first.id, result('Rome')),
    answers: createExchange(null, '', { state: 'failed' }).answers,
  }
  const third = createExchange(second.id, 'again?')
  expect(
    buildChatRequest(createChat([first, second, third]), third.id, 0, 'm').messages.map(({ role }) => role),
  ).toEqual(['user', 'assistant', 'tool', 'user'])
})

test('a column does not send the tool results of another column', () => {
  const first = createExchange(
    null,
    'one',
    { column: 0, toolUses: [call('Rome')] },
    { column: 1, text: 'I know it: rainy.' },
  )
  const second = {
    ...answerCalls(first.id, result('Rome')),
    answers: createExchange(null, '', { text: 'Sunny.' }).answers,
  }
  const third = createExchange(second.id, 'and tomorrow?')
  const chat = createChat([first, second, third])
  expect(buildChatRequest(chat, third.id, 1, 'm').messages).toEqual([
    { role: 'user', content: 'one' },
    { role: 'assistant', content: 'I know it: rainy.' },
    { role: 'user', content: 'and tomorrow?' },
  ])
  expect(buildChatRequest(chat, third.id, 0, 'm').messages.map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'tool',
    'assistant',
    'user',
  ])
})

test('extra fields are sent', () => {
  const exchange = createExchange(null, 'Hi')
  const chat = createChat([exchange], { extra: '{"top_k":5}' })
  expect(buildChatRequest(chat, exchange.id, 0, 'm')).toMatchObject({ top_k: 5 })
})
