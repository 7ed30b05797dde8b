import { expect } from 'vitest'
import { says, shareForFile } from './testing/upstream.ts'
import { expectAccepted, expectRejected } from './testing/validation.ts'

const { test, tollgate, upstream } = await shareForFile('Chat requests')

const user = { role: 'user', content: 'Hello' }
const image = { type: 'image_url', image_url: { url: 'https://example.org/cat.png' } }

const tool = {
  type: 'function',
  function: { name: 'look', description: 'Looks', parameters: { type: 'object' } },
}

test('model: a string, required', () =>
  expectRejected(tollgate, [
    [{ model: undefined }, 'model'],
    [{ model: 5 }, 'model'],
    [{ model: '' }, 'model'],
    [{ model: null }, 'model'],
  ]))

test('messages: a list of messages, required', () =>
  expectRejected(tollgate, [
    [{ messages: undefined }, 'messages'],
    [{ messages: 'Hello' }, 'messages'],
    [{ messages: [] }, 'messages'],
    [{ messages: ['Hello'] }, 'messages[0]'],
    [{ messages: [user, null] }, 'messages[1]'],
  ]))

test('A message’s role is system, user, assistant or tool', async () => {
  await expectRejected(tollgate, [
    [{ messages: [{ content: 'x' }] }, 'messages[0].role'],
    [{ messages: [{ role: 'robot', content: 'x' }] }, 'messages[0].role'],
    [{ messages: [user, { role: 7, content: 'x' }] }, 'messages[1].role'],
  ])
  const call = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } }
  await expectAccepted(tollgate, [
    {
      messages: [
        { role: 'system', content: 'Be brief' },
        user,
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', content: 'done', tool_call_id: 'call_1', name: 'look' },
      ],
    },
  ])
})

test('A message’s content is a string or a list of parts, and required', () =>
  expectRejected(tollgate, [
    [{ messages: [{ role: 'user' }] }, 'messages[0].content'],
    [{ messages: [{ role: 'user', content: null }] }, 'messages[0].content'],
    [{ messages: [{ role: 'user', content: 5 }] }, 'messages[0].content'],
    [{ messages: [{ role: 'user', content: [] }] }, 'messages[0].content'],
    [{ messages: [{ role: 'user', content: ['x'] }] }, 'messages[0].content[0]'],
    [{ messages: [{ role: 'tool', content: 'x' }] }, 'messages[0].tool_call_id'],
    [{ messages: [{ ...user, name: 5 }] }, 'messages[0].name'],
  ]))

test('A part is { type: text, text } or { type: image_url, image_url: { url, detail? } }', async () => {
  const one = (part: unknown) => ({ model: 'sandbox-large', messages: [{ role: 'user', content: [part] }] })
  await expectRejected(tollgate, [
    [one({ type: 'text' }), 'messages[0].content[0].text'],
    [one({ type: 'text', text: 5 }), 'messages[0].content[0].text'],
    [one({ type: 'video', text: 'x' }), 'messages[0].content[0].type'],
    [one({ type: 'image_url' }), 'messages[0].content[0].image_url'],
    [one({ type: 'image_url', image_url: 'https://x.example' }), 'messages[0].content[0].image_url'],
    [one({ type: 'image_url', image_url: {} }), 'messages[0].content[0].image_url.url'],
    [one({ type: 'image_url', image_url: { url: 5 } }), 'messages[0].content[0].image_url.url'],
    [
      one({ type: 'image_url', image_url: { url: 'x', detail: 'best' } }),
      'messages[0].content[0].image_url.detail',
    ],
  ])
  const mixed = [
    user,
    user,
    {
      role: 'user',
      content: [
        { type: 'text', text: 'x' },
        { type: 'image_url', image_url: {} },
      ],
    },
  ]
  await expectRejected(tollgate, [[{ messages: mixed }, 'messages[2].content[1].image_url.url']])
  await expectAccepted(tollgate, [
    one({ type: 'text', text: 'x' }),
    ...['low', 'high', 'auto'].map((detail) => one({ ...image, image_url: { ...image.image_url, detail } })),
  ])
})

test('temperature: 0 to 2', async () => {
  await expectRejected(
    tollgate,
    [-0.1, 2.1, '1', Number.MAX_VALUE].map((temperature) => [{ temperature }, 'temperature'] as const),
  )
  await expectAccepted(tollgate, [{ temperature: 0 }, { temperature: 2 }, { temperature: 0.7 }])
})

test('max_tokens: an integer', async () => {
  await expectRejected(
    tollgate,
    [0, -1, 1.5, '5'].map((max_tokens) => [{ max_tokens }, 'max_tokens'] as const),
  )
  await expectAccepted(tollgate, [{ max_tokens: 1 }, { max_tokens: 100_000 }])
})

test('stop: a string or up to 4 of them', async () => {
  await expectRejected(tollgate, [
    [{ stop: 5 }, 'stop'],
    [{ stop: ['a', 'b', 'c', 'd', 'e'] }, 'stop'],
    [{ stop: ['a', 5] }, 'stop[1]'],
  ])
  await expectAccepted(tollgate, [{ stop: 'x' }, { stop: ['a', 'b', 'c', 'd'] }, { stop: [] }])
})

test('stream is a boolean, seed an integer, user a string', () =>
  expectRejected(tollgate, [
    [{ stream: 'yes' }, 'stream'],
    [{ seed: 1.5 }, 'seed'],
    [{ user: 5 }, 'user'],
  ]))

test('tools: function definitions', async () => {
  await expectRejected(tollgate, [
    [{ tools: tool }, 'tools'],
    [{ tools: [{}] }, 'tools[0].type'],
    [{ tools: [{ type: 'function' }] }, 'tools[0].function'],
    [{ tools: [tool, { type: 'function', function: {} }] }, 'tools[1].function.name'],
    [
      { tools: [{ type: 'function', function: { name: 'x', parameters: 'any' } }] },
      'tools[0].function.parameters',
    ],
    [
      { tools: [{ type: 'function', function: { name: 'x', description: 5 } }] },
      'tools[0].function.description',
    ],
  ])
  await expectAccepted(tollgate, [{ tools: [tool] }])
})

test('tool_choice: none, auto, required, or an object', async () => {
  await expectRejected(tollgate, [
    [{ tools: [tool], tool_choice: 'maybe' }, 'tool_choice'],
    [{ tools: [tool], tool_choice: 5 }, 'tool_choice'],
    [{ tools: [tool], tool_choice: { type: 'else' } }, 'tool_choice.type'],
  ])
  const named = { type: 'function', function: { name: 'look' } }
  await expectAccepted(
    tollgate,
    ['none', 'auto', 'required', named].map((tool_choice) => ({ tools: [tool], tool_choice })),
  )
})

test('response_format: an object with a known type', async () => {
  await expectRejected(tollgate, [
    [{ response_format: 'json' }, 'response_format'],
    [{ response_format: {} }, 'response_format.type'],
    [{ response_format: { type: 'xml' } }, 'response_format.type'],
    [{ response_format: { type: 'json_schema' } }, 'response_format.json_schema'],
    [{ response_format: { type: 'json_schema', json_schema: {} } }, 'response_format.json_schema.name'],
  ])
  await expectAccepted(tollgate, [
    { response_format: { type: 'json_object' } },
    { response_format: { type: 'text' } },
  ])
})

test('An unknown model slug is 404, an invalid body 400', async () => {
  const unknown = await tollgate.chat({ model: 'no-such-model' })
  expect([unknown.status, unknown.json.error]).toMatchObject([
    404,
    { type: 'not_found_error', param: 'model' },
  ])
  expect((await tollgate.chat({ model: 'no-such-model', temperature: 3 })).status).toBe(400)
})

test('n: 1 to 128, or 1 to 8 if the upstream does not support it', async () => {
  await expectRejected(
    tollgate,
    [0, 129, 1.5, '2'].map((n) => [{ n }, 'n'] as const),
  )
  await expectAccepted(tollgate, [{ n: 1 }, { n: 128 }])
  const put = (id: string) =>
    tollgate.call('PUT', `/v1/providers/${id}`, {
      body: { apiFormat: 'anthropic-messages', baseUrl: 'http://127.0.0.1:9/v1', credential: 'k' },
    })
  expect((await put('claudes')).status).toBe(200)
  const model = { provider: 'claudes', upstreamModel: 'claude-opus-5' }
  expect((await tollgate.call('PUT', '/v1/models/single', { body: model })).status).toBe(200)
  await expectRejected(tollgate, [[{ model: 'single', n: 9 }, 'n']])
})

test('Unknown types are forwarded to upstreams of the same format', async () => {
  await upstream.model('vendors-own', says('hi'), { capabilities: ['vision'] })
  const body = {
    messages: [
      { role: 'assistant', content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] }] },
      {
        role: 'user',
        content: [
          { type: 'video_url', video_url: { url: 'https://example.org/a.mp4' } },
          { type: 'image_url', image_url: { url: 'https://example.org/a.png', detail: 'original' } },
        ],
      },
    ],
    tools: [{ type: 'browser_search' }, tool],
    tool_choice: 'any',
    response_format: { type: 'grammar', grammar: 'root ::= "a"' },
    seed: 123_456_789_012_345_680,
  }
  expect((await tollgate.chat({ model: 'vendors-own', ...body })).status).toBe(200)
  expect(upstream.calls('vendors-own')[0]?.json()).toEqual({ model: 'vendors-own', ...body })
})

test('Also accepted: developer and function roles and the newer documented fields', async () => {
  await expectAccepted(
    tollgate,
    [
      { messages: [{ role: 'developer', content: 'Be brief' }, user] },
      { messages: [user, { role: 'function', name: 'look', content: 'done' }] },
      { max_tokens: undefined, max_completion_tokens: 5 },
      { stream_options: { include_usage: true }, stream: true },
      { parallel_tool_calls: false, tools: [tool] },
      { reasoning_effort: 'low' },
      { response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } } },
    ].filter((body) => !('stream' in body)),
  )
  await expectRejected(tollgate, [
    [{ max_completion_tokens: 0 }, 'max_completion_tokens'],
    [{ stream_options: 'all' }, 'stream_options'],
    [{ stream_options: { include_usage: 'yes' } }, 'stream_options.include_usage'],
    [{ parallel_tool_calls: 'no' }, 'parallel_tool_calls'],
    [{ reasoning_effort: 5 }, 'reasoning_effort'],
  ])
})

test('Null is accepted for every optional field', () =>
  expectAccepted(tollgate, [
    {
      max_tokens: null,
      ...{
        stream: null,
        temperature: null,
        tools: null,
        tool_choice: null,
        response_format: null,
        stop: null,
      },
      seed: null,
      user: null,
      n: null,
      max_completion_tokens: null,
      stream_options: null,
      parallel_tool_calls: null,
      reasoning_effort: null,
    },
  ]))

test('Every other field is forwarded to an upstream of the same format', async () => {
  await upstream.model('mirror', says('hi'))
  const body = {
    top_p: 0.5,
    logit_bias: { 50256: -100 },
    metadata: { a: 'b' },
    some_new_field: { nested: [1, 'two', null] },
    messages: [{ role: 'user', content: 'Hello', cache_control: { type: 'ephemeral' } }],
  }
  expect((await tollgate.chat({ model: 'mirror', ...body })).status).toBe(200)
  expect(upstream.calls('mirror')[0]?.json()).toEqual({ model: 'mirror', ...body })
})

test('Fields that would change routing or credentials are rejected by name', () =>
  expectRejected(
    tollgate,
    [
      'api_base base_url api_key api_type api_version headers extra_headers organization models',
      'route provider fallbacks api_base_url',
    ].flatMap((fields) => fields.split(' ').map((field) => [{ [field]: 'x' }, field] as const)),
  ))

test('Image parts for a model without vision: 400, param messages', async () => {
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'What is it?' }, image] }]
  await expectRejected(tollgate, [[{ model: 'sandbox-small', messages }, 'messages']])
  await expectAccepted(tollgate, [{ model: 'sandbox-large', messages }])
})

test('The gateway never fetches an image URL: it forwards it unchanged', async () => {
  await upstream.model('sees', says('a cat'), { capabilities: ['vision'] })
  const url = `${upstream.url}/cat.png`
  const content = [{ type: 'image_url', image_url: { url } }]
  await tollgate.chat({ model: 'sees', messages: [{ role: 'user', content }] })
  const [call] = upstream.calls('sees')
  expect(call?.json().messages).toEqual([{ role: 'user', content }])
  expect(call?.path).toBe('/chat/completions')
})

test('To an upstream of the same format, all other bytes of the body stay', async () => {
  await upstream.model('exact', says('hi'))
  const schema = '{"type": "integer", "maximum": 9223372036854775807, "default": 1.0}'
  const body = `{
    "tools": [{"type":"function","function":{"name":"look","parameters":${schema}}}],
    "stream" : false, "messages": [{"content":"caf\\u00e9","role":"user"}],
    "seed": 9007199254740993, "model":"exact", "stream_options": null
  }`
  expect((await tollgate.call('POST', '/v1/chat/completions', { body })).status).toBe(200)
  const sent = upstream.calls('exact')[0]?.body ?? ''
  expect(sent).toBe(body.replace(/, "stream_options": null(?=\s)/, ''))
})
