import { expect, test } from 'vitest'
import type { StoredChat } from '../../../shared/api/requests.ts'
import type { Chat } from '../../parts/chats/chat.ts'
import { buildChatRequest } from '../../parts/chats/chat-request.ts'
import { requestRow, storedBodies } from '../../testing/rows.ts'
import { toChat } from './request-actions.tsx'

const weather = {
  type: 'function',
  function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
}
const call = (id: string) => ({
  id,
  type: 'function',
  function: { name: 'weather', arguments: `{"city":"${id}"}` },
})

type Answers = StoredChat['answers']

function replayed(request: Partial<StoredChat['request']>, answers: Answers = [], part = {}): Chat {
  const read = toChat(
    storedBodies(request, answers),
    requestRow('req_1', 1, { costUsd: 0.5, tokensIn: 7, tokensOut: 3, ...part }),
  )
  if (!read.ok) throw new Error(read.message)
  return read.chat
}

/** The request that the playground would send for the last question. */
const asked = (chat: Chat) => buildChatRequest(chat, chat.tip ?? '', 0, chat.models[0] ?? '')

const answer = (message: object): Answers => [{ role: 'assistant', content: null, ...message }]

test('a replayed request has the messages, images, tools, results and settings that were sent', () => {
  const request: StoredChat['request'] = {
    model: 'gpt',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Weather?' },
      { role: 'assistant', content: null, tool_calls: [call('Rome'), call('Oslo')] },
      { role: 'tool', tool_call_id: 'Rome', content: 'sunny' },
      { role: 'tool', tool_call_id: 'Oslo', content: '{"sky":"grey"}' },
      { role: 'assistant', content: 'Sunny and grey.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'And here?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
        ],
      },
    ],
    temperature: 0,
    max_tokens: 50,
    tools: [weather],
    top_p: 0.5,
    top_k: 5,
    response_format: { type: 'json_object' },
    seed: null,
    stream: true,
    stream_options: { include_usage: true },
  }
  const chat = replayed(request)
  expect(chat.replayOf).toEqual({ requestId: 'req_1', notes: [] })
  expect(asked(chat)).toEqual({
    model: 'gpt',
    messages: request.messages,
    temperature: 0,
    top_p: 0.5,
    max_tokens: 50,
    tools: [weather],
    top_k: 5,
    response_format: { type: 'json_object' },
  })
})

const question = { messages: [{ role: 'user' as const, content: 'Hi' }] }

test('the first answer is shown below the last question, with its cost and tokens', () => {
  const first = answer({ content: 'Hello', reasoning_content: 'hm', tool_calls: [call('Rome')] })
  const chat = replayed({ ...question, n: 2 }, [...first, ...answer({ content: 'other' })])
  expect(chat.exchanges.map(({ answers }) => answers)).toMatchObject([
    [
      {
        state: 'done',
        text: 'Hello',
        reasoning: 'hm',
        toolUses: [{ id: 'Rome', name: 'weather', arguments: '{"city":"Rome"}' }],
        requestId: 'req_1',
        costUsd: 0.5,
        tokensIn: 7,
        tokensOut: 3,
      },
    ],
  ])
  expect(chat.replayOf?.notes).toEqual(['Only the first of its 2 answers is shown.'])
})

test('an interrupted answer is shown as far as it was recorded, with its error', () => {
  const half = answer({ content: 'Half' })
  const error = { type: 'upstream_error', message: 'The provider closed the connection.' }
  expect(replayed(question, half, { status: 'failed', error }).exchanges[0]?.answers).toMatchObject([
    { state: 'failed', text: 'Half', error: { message: 'The provider closed the connection.' } },
  ])
  const canceled = replayed(question, half, { status: 'canceled' })
  expect(canceled.exchanges[0]?.answers).toMatchObject([{ state: 'stopped', text: 'Half' }])
})

test('without an answer the last question can be sent again', () => {
  for (const answers of [[], answer({ content: '' })]) {
    const chat = replayed(question, answers, { status: 'failed' })
    expect(chat.exchanges).toMatchObject([{ text: 'Hi', answers: [] }])
    expect(asked(chat).messages).toEqual(question.messages)
  }
})

test('parts that a chat cannot show are left out, with a note', () => {
  const { replayOf, exchanges, system } = replayed({
    model: 'gpt',
    messages: [
      { role: 'developer', content: 'One.' },
      { role: 'user', content: 'a', name: 'Ann' },
      {
        role: 'user',
        content: [
          { type: 'input_audio', input_audio: {} },
          { type: 'text', text: 'b' },
        ],
      },
      { role: 'system', content: 'Two.' },
      { role: 'tool', tool_call_id: 'gone', content: 'x' },
      { role: 'assistant', content: 'c', tool_calls: [{ id: '1', type: 'custom', custom: {} }] },
      { role: 'function', name: 'f', content: 'x' },
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: 'https://example.org/a.png', detail: 'high' } },
          { type: 'text', text: 'd', cache_control: { type: 'ephemeral' } },
        ],
      },
    ],
  })
  expect(system).toBe('One.\n\nTwo.')
  expect(exchanges.map(({ text }) => text)).toEqual(['a\n\nb', 'd'])
  expect(exchanges[1]?.images).toEqual(['https://example.org/a.png'])
  expect(replayOf?.notes).toEqual(['Parts of it that a chat cannot show were left out.'])
})

test.each<[string, StoredChat['request']['messages'][number]]>([
  ['an audio part', { role: 'user', content: [{ type: 'input_audio', input_audio: {} }] }],
  ['a result without its call', { role: 'tool', tool_call_id: 'gone', content: 'x' }],
  [
    'a custom call',
    { role: 'assistant', content: 'c', tool_calls: [{ id: '1', type: 'custom', custom: {} }] },
  ],
  ['a message of a function', { role: 'function', name: 'f', content: 'x' }],
])('%s is noted', (_name, message) => {
  expect(replayed({ messages: [message] }).replayOf?.notes).toHaveLength(1)
})

test('an answer is included before its continuation', () => {
  const messages: StoredChat['request']['messages'] = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Hel' },
  ]
  const chat = replayed({ messages }, answer({ content: 'lo' }))
  expect(asked(chat).messages).toEqual(messages)
  expect(chat.exchanges.map(({ answers }) => answers[0]?.text)).toEqual(['Hel', 'lo'])
})

test('what a chat completion cannot express is noted', () => {
  const { chat, ...bodies } = storedBodies(question)
  const read = toChat({ ...bodies, chat: chat && { ...chat, complete: false } }, requestRow('req_1', 1))
  expect(read).toMatchObject({
    chat: { replayOf: { notes: ['Parts of it that a chat cannot show were left out.'] } },
  })
})

test('a request that is not a chat is rejected with a message', () => {
  const read = toChat({ ...storedBodies({}), chat: null }, requestRow('req_1', 1))
  expect(read).toMatchObject({ ok: false, message: expect.any(String) })
})
