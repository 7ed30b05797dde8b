import { expect, test } from 'vitest'
import { requestRow } from '../../testing/rows.ts'
import { buildChatRequest } from './chat-request.ts'
import type { Chat } from './chat-storage.ts'
import { replayRequest } from './replayed-chat.ts'

const weather = {
  type: 'function',
  function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
}
const call = (id: string) => ({
  id,
  type: 'function',
  function: { name: 'weather', arguments: `{"city":"${id}"}` },
})

function replayed(request: object, response: string | null = null, part = {}): Chat {
  const bodies = { requestId: 'req_1', request: JSON.stringify(request), response }
  const read = replayRequest(
    bodies,
    requestRow('req_1', 1, { costUsd: 0.5, tokensIn: 7, tokensOut: 3, ...part }),
  )
  if (!read.ok) throw new Error(read.message)
  return read.chat
}

/** The request that the playground would send for the last question. */
const asked = (chat: Chat) => buildChatRequest(chat, chat.tip ?? '', 0, chat.models[0] ?? '')

const completion = (message: object) =>
  JSON.stringify({
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason: 'stop' }],
  })
const chunk = (delta: object, index = 0) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 0, model: 'm', choices: [{ index, delta, finish_reason: null }] })}\n\n`

test('a replayed request has the messages, images, tools, results and settings that were sent', () => {
  const request = {
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
    parameters: {
      temperature: 0,
      top_p: 0.5,
      max_tokens: 50,
      tools: [weather],
      response_format: { type: 'json_object' },
    },
    extra: { top_k: 5 },
  })
})

test('a JSON answer is shown below the last question, with its cost and tokens', () => {
  const request = { model: 'gpt', messages: [{ role: 'user', content: 'Hi' }] }
  const chat = replayed(request, completion({ content: 'Hello', reasoning_content: 'hm' }))
  expect(chat.exchanges).toHaveLength(1)
  expect(chat.exchanges[0]?.answers).toMatchObject([
    {
      state: 'done',
      text: 'Hello',
      reasoning: 'hm',
      requestId: 'req_1',
      costUsd: 0.5,
      tokensIn: 7,
      tokensOut: 3,
    },
  ])
})

test('a streamed answer is assembled from the chunks of its first choice', () => {
  const stream = [
    chunk({ role: 'assistant', content: '' }),
    chunk({ content: 'Hel' }),
    chunk({ content: 'other' }, 1),
    ': a comment\n\n',
    chunk({ content: 'lo' }),
    chunk({ tool_calls: [{ index: 0, ...call('Rome') }] }),
    'data: [DONE]\n\n',
  ].join('')
  const request = { model: 'gpt', n: 2, stream: true, messages: [{ role: 'user', content: 'Hi' }] }
  const chat = replayed(request, stream)
  expect(chat.exchanges[0]?.answers).toMatchObject([
    {
      state: 'done',
      text: 'Hello',
      toolUses: [{ id: 'Rome', name: 'weather', arguments: '{"city":"Rome"}' }],
    },
  ])
  expect(chat.replayOf?.notes).toEqual(['Only the first of its 2 answers is shown.'])
})

test('an interrupted stream is shown as far as it was recorded, with its error', () => {
  const request = { model: 'gpt', stream: true, messages: [{ role: 'user', content: 'Hi' }] }
  const error = { type: 'upstream_error', message: 'The provider closed the connection.' }
  const failed = replayed(request, `${chunk({ content: 'Half' })}data: ${JSON.stringify({ error })}\n\n`)
  expect(failed.exchanges[0]?.answers).toMatchObject([
    { state: 'failed', text: 'Half', error: { message: 'The provider closed the connection.' } },
  ])
  const canceled = replayed(request, chunk({ content: 'Half' }).trimEnd(), { status: 'canceled' })
  expect(canceled.exchanges[0]?.answers).toMatchObject([{ state: 'stopped', text: 'Half' }])
})

test('after an error the last question can be sent again', () => {
  const request = { model: 'gpt', messages: [{ role: 'user', content: 'Hi' }] }
  const error = JSON.stringify({ error: { type: 'upstream_error', message: 'No.' } })
  for (const response of [error, null, '<html>', `data: ${error}\n\n`]) {
    const chat = replayed(request, response, { status: 'failed' })
    expect(chat.exchanges).toMatchObject([{ text: 'Hi', answers: [] }])
    expect(asked(chat).messages).toEqual(request.messages)
  }
})

test('what a chat cannot represent is named in the notes', () => {
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
  expect(replayOf?.notes).toEqual([
    'The developer message is shown as the system prompt.',
    'A later system message was moved to the system prompt.',
    'Consecutive user messages were merged into one.',
    'Left out: a “name” of a message.',
    'Left out: a part of the type “input_audio”.',
    'Left out: a tool result without its call.',
    'Left out: a tool call of the type “custom”.',
    'Left out: a message of the role “function”.',
    'Left out: a “cache_control” of a part.',
    'Left out: a “detail” of an image.',
  ])
})

test('an answer is included before its continuation', () => {
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Hel' },
  ]
  const chat = replayed({ model: 'gpt', messages }, completion({ content: 'lo' }))
  expect(asked(chat).messages).toEqual(messages)
  expect(chat.exchanges.map(({ answers }) => answers[0]?.text)).toEqual(['Hel', 'lo'])
})

test('a request that is not a chat is rejected with a message', () => {
  const bodies = { requestId: 'req_1', request: '{"input":"x"}', response: null }
  expect(replayRequest(bodies, requestRow('req_1', 1))).toMatchObject({
    ok: false,
    message: expect.any(String),
  })
  expect(replayRequest({ ...bodies, request: null }, requestRow('req_1', 1))).toMatchObject({ ok: false })
})
