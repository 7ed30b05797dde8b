import { describe, expect, it, onTestFinished } from 'vitest'
import { startTestGateway } from '../testing/gateway.ts'
import { forFile } from '../testing/lifetime.ts'
import { startTestUpstream } from '../upstream/testing/test-upstream.ts'
import { readAnswer } from './stored-chat.ts'

const sse = (...events: object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
const call = (id: string) => ({
  id,
  type: 'function',
  function: { name: 'weather', arguments: '{"city":"Bern"}' },
})

describe('the answer of a stored request', () => {
  it('is read from a stream of chat completions, each choice by itself', () => {
    const delta = (part: object, index = 0) => ({ choices: [{ index, delta: part }] })
    const stream = sse(
      delta({ role: 'assistant', reasoning_content: 'Hm' }),
      delta({ content: 'Go' }),
      delta({ content: 'No' }, 1),
      delta({ content: 'od.' }),
      delta({ tool_calls: [{ index: 0, id: 'c1', function: { name: 'weather', arguments: '{"city"' } }] }),
      delta({ tool_calls: [{ index: 0, function: { arguments: ':"Bern"}' } }] }),
    )
    expect(readAnswer(`: alive\n\n${stream}data: [DONE]\n\n`, 'openai-chat')).toEqual({
      error: null,
      answers: [
        { role: 'assistant', content: 'Good.', reasoning_content: 'Hm', tool_calls: [call('c1')] },
        { role: 'assistant', content: 'No' },
      ],
    })
  })

  it('is read from a stream of the Messages API', () => {
    const start = (index: number, block: object) => ({
      type: 'content_block_start',
      index,
      content_block: block,
    })
    const delta = (index: number, part: object) => ({ type: 'content_block_delta', index, delta: part })
    const stream = sse(
      { type: 'message_start', message: { content: [] } },
      start(0, { type: 'thinking', thinking: '' }),
      delta(0, { type: 'thinking_delta', thinking: 'Hm' }),
      { type: 'content_block_stop', index: 0 },
      start(1, { type: 'text', text: '' }),
      delta(1, { type: 'text_delta', text: 'Once ' }),
      delta(1, { type: 'text_delta', text: 'more.' }),
      { type: 'content_block_stop', index: 1 },
      start(2, { type: 'tool_use', id: 't2', name: 'weather', input: {} }),
      delta(2, { type: 'input_json_delta', partial_json: '{"city":' }),
      delta(2, { type: 'input_json_delta', partial_json: '"Bern"}' }),
      { type: 'content_block_stop', index: 2 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
      { type: 'message_stop' },
    )
    expect(readAnswer(stream, 'anthropic-messages')).toEqual({
      error: null,
      answers: [
        { role: 'assistant', content: 'Once more.', reasoning_content: 'Hm', tool_calls: [call('t2')] },
      ],
    })
  })

  it('is read from a response, from its stream, and from a stream that was cut', () => {
    const message = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Sunny.' }] }
    const reasoning = { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm' }] }
    const search = { type: 'web_search_call', action: { query: 'Bern' } }
    const whole = { status: 'completed', output: [reasoning, search, message] }
    const answer = { role: 'assistant', content: 'Sunny.', reasoning_content: 'Hm' }
    expect(readAnswer(JSON.stringify(whole), 'openai-responses')).toEqual({
      error: null,
      answers: [{ ...answer, content_parts: [search] }],
    })
    const added = (index: number, item: object) => ({
      type: 'response.output_item.added',
      output_index: index,
      item,
    })
    const cut = sse(
      { type: 'response.created', response: { output: [] } },
      added(0, { type: 'reasoning', summary: [] }),
      { type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index: 0, delta: 'Hm' },
      added(1, { ...message, content: [] }),
      { type: 'response.output_text.delta', output_index: 1, content_index: 0, delta: 'Sun' },
      { type: 'response.output_text.delta', output_index: 1, content_index: 0, delta: 'ny.' },
    )
    expect(readAnswer(cut, 'openai-responses')).toEqual({ error: null, answers: [answer] })
  })

  it.each(['sse', 'array'])("is read from Google's stream as %s", (framing) => {
    const events = ['In ', 'Bern.'].map((text) => ({
      candidates: [{ content: { role: 'model', parts: [{ text }] } }],
    }))
    const stored = framing === 'sse' ? sse(...events) : JSON.stringify(events)
    expect(readAnswer(stored, 'gemini-generate').answers).toEqual([
      { role: 'assistant', content: 'In Bern.' },
    ])
  })

  it.each([
    ['openai-completions', sse({ choices: [{ text: ' Be' }] }, { choices: [{ text: 'rn' }] })],
    ['mistral-fim', JSON.stringify({ choices: [{ message: { content: ' Bern' } }] })],
  ] as const)('is read in the format %s', (format, stored) => {
    expect(readAnswer(stored, format).answers).toEqual([{ role: 'assistant', content: ' Bern' }])
  })

  it('has the error that the client got, also in the middle of a stream', () => {
    const error = { message: 'Too many requests.' }
    expect(readAnswer(JSON.stringify({ error }), 'openai-responses')).toEqual({
      answers: [],
      error: error.message,
    })
    expect(readAnswer(JSON.stringify({ type: 'error', error }), 'anthropic-messages').error).toBe(
      error.message,
    )
    const stream = sse({ choices: [{ delta: { content: 'Par' } }] }, { error })
    expect(readAnswer(stream, 'openai-chat')).toEqual({
      answers: [{ role: 'assistant', content: 'Par' }],
      error: error.message,
    })
    for (const text of [null, '', '<html>', 'data: nothing\n\n'])
      expect(readAnswer(text, 'openai-chat')).toEqual({ answers: [], error: null })
  })

  it('takes a stream whose provider numbers its parts absurdly, without delay', () => {
    const event = {
      choices: [{ index: 4e9, delta: { content: 'Hi', tool_calls: [{ index: 4e9, id: 'a' }] } }],
    }
    expect(readAnswer(sse(event), 'openai-chat').answers[0]).toMatchObject({ content: 'Hi' })
  })
})

describe('GET /v1/requests/{id}/bodies', async () => {
  const tollgate = await forFile(startTestGateway())
  await tollgate.call('PATCH', '/v1/settings', { body: { storeBodies: true } })
  const messages = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Weather?' },
  ]
  const tool = { type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }

  async function readStored(path: string, body: object) {
    const { headers, status, text } = await tollgate.call('POST', path, { body })
    expect(status, text).toBe(200)
    const id = headers.get('x-service-request-id')
    return (await tollgate.call('GET', `/v1/requests/${id}/bodies`)).json
  }

  it.each([
    ['/v1/chat/completions', { messages, tools: [tool] }],
    [
      '/v1/messages',
      {
        max_tokens: 99,
        system: 'Be brief.',
        messages: messages.slice(1),
        tools: [{ name: 'weather', input_schema: { type: 'object' } }],
      },
    ],
    [
      '/v1/responses',
      {
        instructions: 'Be brief.',
        input: 'Weather?',
        tools: [{ type: 'function', name: 'weather', parameters: { type: 'object' }, strict: false }],
      },
    ],
    [
      '/v1beta/models/sandbox-small:generateContent',
      {
        systemInstruction: { parts: [{ text: 'Be brief.' }] },
        contents: [{ role: 'user', parts: [{ text: 'Weather?' }] }],
        tools: [{ functionDeclarations: [{ name: 'weather', parameters: { type: 'object' } }] }],
      },
    ],
  ])('has the chat of a request to %s', async (path, part) => {
    const body = path.includes('v1beta') ? part : { model: 'sandbox-small', ...part }
    const { chat } = await readStored(path, body)
    expect(chat).toMatchObject({
      request: { model: 'sandbox-small', messages, tools: [{ function: { name: 'weather' } }] },
      answers: [{ role: 'assistant' }],
      error: null,
      complete: true,
    })
    const [{ content, tool_calls: calls }] = chat.answers
    expect(content || calls).toBeTruthy()
  })

  it('has the whole conversation of a request that refers to an earlier response', async () => {
    const first = await readStored('/v1/responses', { model: 'sandbox-small', input: 'Hello' })
    const { id } = JSON.parse(first.response)
    const body = { model: 'sandbox-small', input: 'And now?', previous_response_id: id }
    const { chat } = await readStored('/v1/responses', body)
    expect(chat.request.messages.map(({ role }: { role: string }) => role)).toEqual([
      'user',
      'assistant',
      'user',
    ])
    expect(chat.complete).toBe(true)
  })

  it('says that a chat lacks what a chat completion cannot express, and has none for other requests', async () => {
    const search = { type: 'web_search_20250305', name: 'web_search' }
    const { headers } = await tollgate.call('POST', '/v1/messages', {
      body: { model: 'sandbox-small', max_tokens: 9, messages: messages.slice(1), tools: [search] },
    })
    const id = headers.get('x-service-request-id')
    const { json } = await tollgate.call('GET', `/v1/requests/${id}/bodies`)
    expect(json.chat).toMatchObject({ complete: false, request: { messages: messages.slice(1) } })
    const upstream = await startTestUpstream((exchange) => exchange.reply(200, { object: 'list', data: [] }))
    onTestFinished(upstream.close)
    await tollgate.addProvider('mine', upstream.url, ['embed'])
    const embedding = await readStored('/v1/embeddings', { model: 'embed', input: 'x' })
    expect(embedding.chat).toBeNull()
  })
})
