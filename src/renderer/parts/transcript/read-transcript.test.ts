import { expect, it } from 'vitest'
import { readTranscript } from './read-transcript.ts'

const sse = (...events: object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
const read = (endpoint: string | null, request: object, response: object | string | null) =>
  readTranscript(
    {
      request: JSON.stringify(request),
      response: typeof response === 'object' && response !== null ? JSON.stringify(response) : response,
    },
    endpoint,
  )
const call = (id: string, name: string) => ({ type: 'call', id, name, input: '{\n  "city": "Bern"\n}' })

it('reads a chat with tools, images and reasoning', () => {
  const transcript = read(
    'POST /v1/chat/completions',
    {
      model: 'gpt',
      tools: [{ type: 'function', function: { name: 'weather' } }],
      messages: [
        { role: 'developer', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Where is this?' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } },
            { type: 'file', file: { filename: 'map.pdf' } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', function: { name: 'weather', arguments: '{"city":"Bern"}' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'Sunny' },
      ],
    },
    { choices: [{ message: { role: 'assistant', content: 'In Bern.', reasoning_content: 'Hm.' } }] },
  )
  expect(transcript).toEqual({
    tools: ['weather'],
    messages: [
      { role: 'system', parts: [{ type: 'text', text: 'Be brief.' }] },
      {
        role: 'user',
        parts: [
          { type: 'text', text: 'Where is this?' },
          { type: 'image', source: 'data:image/png;base64,AA' },
          { type: 'other', name: 'file', detail: 'map.pdf' },
        ],
      },
      { role: 'assistant', parts: [call('c1', 'weather')] },
      { role: 'tool', parts: [{ type: 'result', id: 'c1', name: 'weather', text: 'Sunny', failed: false }] },
    ],
    answers: [
      {
        role: 'assistant',
        parts: [
          { type: 'reasoning', text: 'Hm.' },
          { type: 'text', text: 'In Bern.' },
        ],
      },
    ],
    error: null,
  })
})

it('puts the stream of a chat together, each choice by itself', () => {
  const delta = (part: object, index = 0) => ({ choices: [{ index, delta: part }] })
  const stream = `${sse(
    delta({ role: 'assistant', reasoning_content: 'Hm' }),
    delta({ content: 'Go' }),
    delta({ content: 'No' }, 1),
    delta({ content: 'od.' }),
    delta({ tool_calls: [{ index: 0, id: 'c1', function: { name: 'weather', arguments: '{"city"' } }] }),
    delta({ tool_calls: [{ index: 0, function: { arguments: ':"Bern"}' } }] }),
  )}data: [DONE]\n\n`
  expect(read(null, { messages: [] }, stream)?.answers).toEqual([
    {
      role: 'assistant',
      parts: [{ type: 'reasoning', text: 'Hm' }, { type: 'text', text: 'Good.' }, call('c1', 'weather')],
    },
    { role: 'assistant', parts: [{ type: 'text', text: 'No' }] },
  ])
})

it('reads a request and a stream of the Messages API', () => {
  const transcript = read(
    'POST /v1/messages',
    {
      system: [{ type: 'text', text: 'Be brief.' }],
      tools: [{ name: 'weather' }, { type: 'web_search_20250305', name: 'web_search' }],
      messages: [
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 't1', name: 'weather', input: { city: 'Bern' } }],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 't1',
              is_error: true,
              content: [{ type: 'text', text: 'No net' }],
            },
            { type: 'text', text: 'Again' },
            { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: 'AA' } },
          ],
        },
      ],
    },
    sse(
      { type: 'message_start', message: { content: [] } },
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm' } },
      { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Once ' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'more.' } },
      {
        type: 'content_block_start',
        index: 2,
        content_block: { type: 'tool_use', id: 't2', name: 'weather', input: {} },
      },
      {
        type: 'content_block_delta',
        index: 2,
        delta: { type: 'input_json_delta', partial_json: '{"city":' },
      },
      { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '"Bern"}' } },
      { type: 'message_stop' },
    ),
  )
  expect(transcript?.tools).toEqual(['weather', 'web_search'])
  expect(transcript?.messages.map(({ role, parts }) => [role, parts.map(({ type }) => type)])).toEqual([
    ['system', ['text']],
    ['assistant', ['call']],
    ['tool', ['result']],
    ['user', ['text', 'image']],
  ])
  expect(transcript?.messages[2]?.parts[0]).toMatchObject({ text: 'No net', failed: true })
  expect(transcript?.answers).toEqual([
    {
      role: 'assistant',
      parts: [{ type: 'reasoning', text: 'Hm' }, { type: 'text', text: 'Once more.' }, call('t2', 'weather')],
    },
  ])
})

it('reads a request and a stream of the Responses API, complete or cut', () => {
  const request = {
    instructions: 'Be brief.',
    input: [
      { role: 'user', content: [{ type: 'input_text', text: 'Weather?' }] },
      { type: 'function_call', call_id: 'f1', name: 'weather', arguments: '{"city":"Bern"}' },
      { type: 'function_call_output', call_id: 'f1', output: 'Sunny' },
    ],
  }
  const message = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Sunny.' }] }
  const reasoning = { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm' }] }
  const complete = sse({ type: 'response.completed', response: { output: [reasoning, message] } })
  const transcript = read('POST /v1/responses', request, complete)
  expect(transcript?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool'])
  const answer = {
    role: 'assistant',
    parts: [
      { type: 'reasoning', text: 'Hm' },
      { type: 'text', text: 'Sunny.' },
    ],
  }
  expect(transcript?.answers).toEqual([answer])
  const cut = sse(
    { type: 'response.created', response: { output: [] } },
    { type: 'response.output_item.added', output_index: 0, item: { type: 'reasoning', summary: [] } },
    { type: 'response.reasoning_summary_text.delta', output_index: 0, delta: 'Hm' },
    { type: 'response.output_item.added', output_index: 1, item: { ...message, content: [] } },
    { type: 'response.output_text.delta', output_index: 1, delta: 'Sun' },
    { type: 'response.output_text.delta', output_index: 1, delta: 'ny.' },
  )
  expect(read('POST /v1/responses', request, cut)?.answers).toEqual([answer])
})

it.each(['sse', 'array'])('reads a request of Google, and its stream as %s', (framing) => {
  const events = ['In ', 'Bern.'].map((text) => ({
    candidates: [{ content: { role: 'model', parts: [{ text }] } }],
  }))
  const transcript = read(
    'POST /v1beta/models/gemini-3:streamGenerateContent',
    {
      system_instruction: { parts: [{ text: 'Be brief.' }] },
      tools: [{ functionDeclarations: [{ name: 'weather' }] }, { googleSearch: {} }],
      contents: [
        { parts: [{ text: 'Where?' }, { inlineData: { mimeType: 'image/png', data: 'AA' } }] },
        { role: 'model', parts: [{ functionCall: { name: 'weather', args: { city: 'Bern' } } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'weather', response: { sky: 'blue' } } }] },
      ],
    },
    framing === 'sse' ? sse(...events) : JSON.stringify(events),
  )
  expect(transcript?.tools).toEqual(['weather', 'googleSearch'])
  expect(transcript?.messages.map(({ role, parts }) => [role, parts.map(({ type }) => type)])).toEqual([
    ['system', ['text']],
    ['user', ['text', 'image']],
    ['assistant', ['call']],
    ['tool', ['result']],
  ])
  expect(transcript?.answers).toEqual([{ role: 'assistant', parts: [{ type: 'text', text: 'In Bern.' }] }])
})

it.each([
  [
    'POST /v1/completions',
    { prompt: 'In' },
    sse({ choices: [{ text: ' Be' }] }, { choices: [{ text: 'rn' }] }),
    ' Bern',
  ],
  ['POST /v1/fim/completions', { prompt: 'In' }, { choices: [{ message: { content: ' Bern' } }] }, ' Bern'],
  ['POST /v1/audio/transcriptions', { input: 'In' }, sse({ delta: 'Be' }, { delta: 'rn' }), 'Bern'],
])('reads %s', (endpoint, request, response, answer) => {
  const transcript = read(endpoint, request, response)
  expect(transcript?.messages[0]?.parts).toEqual([{ type: 'text', text: 'In' }])
  expect(transcript?.answers[0]?.parts).toEqual([{ type: 'text', text: answer }])
})

it('counts the vectors of embeddings', () => {
  const response = { data: [{ embedding: [1] }, { embedding: [2] }] }
  expect(read('POST /v1/embeddings', { input: ['a', 'b'] }, response)?.answers[0]?.parts).toEqual([
    { type: 'other', name: 'embedding', detail: '2 vectors' },
  ])
})

it('has the error of a refused answer, and of a stream that fails', () => {
  const error = { message: 'Too many requests.' }
  expect(read('POST /v1/responses', { input: 'x' }, { error })).toMatchObject({
    answers: [],
    error: error.message,
  })
  const stream = sse({ choices: [{ delta: { content: 'Par' } }] }, { error })
  expect(read('POST /v1/chat/completions', { messages: [] }, stream)).toMatchObject({
    answers: [{ parts: [{ text: 'Par' }] }],
    error: error.message,
  })
})

it.each([
  [
    '/chat/completions',
    { choices: [{ index: 4e9, delta: { content: 'Hi', tool_calls: [{ index: 4e9 }] } }] },
  ],
  ['/completions', { choices: [{ index: 4e9, text: 'Hi' }] }],
  [
    '/responses',
    {
      type: 'response.output_item.added',
      output_index: 4e9,
      item: { type: 'message', content: [{ type: 'output_text', text: 'Hi' }] },
    },
  ],
  ['/messages', { type: 'content_block_start', index: 4e9, content_block: { type: 'text', text: 'Hi' } }],
  ['x:streamGenerateContent', { candidates: [{ index: 4e9, content: { parts: [{ text: 'Hi' }] } }] }],
])('reads a stream of %s whose provider numbers its parts absurdly, without delay', (endpoint, event) => {
  const answers = read(`POST /v1${endpoint}`, {}, sse(event))?.answers
  expect(answers?.[0]?.parts[0]).toEqual({ type: 'text', text: 'Hi' })
})

it('accepts whatever a request may have, and nothing for what is no JSON', () => {
  for (const endpoint of [
    '/chat/completions',
    '/responses',
    '/messages',
    '/completions',
    'x:generateContent',
    '/x',
  ]) {
    const odd = {
      messages: [null, 3, { content: [1, { type: 'new' }] }],
      input: [[1], {}],
      contents: 'x',
      tools: {},
    }
    expect(read(`POST /v1${endpoint}`, odd, 'data: nothing\n\n')).not.toBeNull()
    expect(readTranscript({ request: '--form\r\n', response: null }, `POST /v1${endpoint}`)).toBeNull()
  }
})
