import { afterAll, expect } from 'vitest'
import { startProgram } from './testing/program.ts'
import { rule } from './testing/rule.ts'
import { says, startStage } from './testing/upstream.ts'

const tollgate = await startProgram()
const stage = await startStage(tollgate)
afterAll(async () => {
  await tollgate.close()
  await stage.close()
})

const user = { role: 'user', content: 'Hello' }
const image = { type: 'image_url', image_url: { url: 'https://example.org/cat.png' } }
const tool = {
  type: 'function',
  function: { name: 'look', description: 'Looks', parameters: { type: 'object' } },
}

/** Each body is refused with 400, and `param` is the path of what is wrong. */
async function refused(cases: readonly (readonly [body: object, param: string])[]): Promise<void> {
  for (const [body, param] of cases) {
    const { status, json } = await tollgate.chat({ max_tokens: 5, ...body })
    expect([body, status, json.error?.type, json.error?.param]).toEqual([
      body,
      400,
      'invalid_request_error',
      param,
    ])
  }
}

async function accepted(bodies: readonly object[]): Promise<void> {
  for (const body of bodies) {
    const { status, json } = await tollgate.chat({ max_tokens: 5, ...body })
    expect([body, status, json.error]).toEqual([body, 200, undefined])
  }
}

rule('Chat requests', 'model: a string, required', () =>
  refused([
    [{ model: undefined }, 'model'],
    [{ model: 5 }, 'model'],
    [{ model: '' }, 'model'],
    [{ model: null }, 'model'],
  ]),
)

rule('Chat requests', 'messages: a list of messages, required', () =>
  refused([
    [{ messages: undefined }, 'messages'],
    [{ messages: 'Hello' }, 'messages'],
    [{ messages: [] }, 'messages'],
    [{ messages: ['Hello'] }, 'messages[0]'],
    [{ messages: [user, null] }, 'messages[1]'],
  ]),
)

rule('Chat requests', 'A message’s role is system, user, assistant or tool', async () => {
  await refused([
    [{ messages: [{ content: 'x' }] }, 'messages[0].role'],
    [{ messages: [{ role: 'robot', content: 'x' }] }, 'messages[0].role'],
    [{ messages: [user, { role: 7, content: 'x' }] }, 'messages[1].role'],
  ])
  const call = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } }
  await accepted([
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

rule('Chat requests', 'A message’s content is a string or a list of parts, and required', () =>
  refused([
    [{ messages: [{ role: 'user' }] }, 'messages[0].content'],
    [{ messages: [{ role: 'user', content: null }] }, 'messages[0].content'],
    [{ messages: [{ role: 'user', content: 5 }] }, 'messages[0].content'],
    [{ messages: [{ role: 'user', content: [] }] }, 'messages[0].content'],
    [{ messages: [{ role: 'user', content: ['x'] }] }, 'messages[0].content[0]'],
    [{ messages: [{ role: 'tool', content: 'x' }] }, 'messages[0].tool_call_id'],
    [{ messages: [{ ...user, name: 5 }] }, 'messages[0].name'],
  ]),
)

rule(
  'Chat requests',
  'A part is { type: text, text } or { type: image_url, image_url: { url, detail? } }',
  async () => {
    const one = (part: unknown) => ({ model: 'sandbox-large', messages: [{ role: 'user', content: [part] }] })
    await refused([
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
    await refused([[{ messages: mixed }, 'messages[2].content[1].image_url.url']])
    await accepted([
      one({ type: 'text', text: 'x' }),
      ...['low', 'high', 'auto'].map((detail) =>
        one({ ...image, image_url: { ...image.image_url, detail } }),
      ),
    ])
  },
)

rule('Chat requests', 'temperature: 0 to 2', async () => {
  await refused(
    [-0.1, 2.1, '1', Number.MAX_VALUE].map((temperature) => [{ temperature }, 'temperature'] as const),
  )
  await accepted([{ temperature: 0 }, { temperature: 2 }, { temperature: 0.7 }])
})

rule('Chat requests', 'max_tokens: an integer', async () => {
  await refused([0, -1, 1.5, '5'].map((max_tokens) => [{ max_tokens }, 'max_tokens'] as const))
  await accepted([{ max_tokens: 1 }, { max_tokens: 100_000 }])
})

rule('Chat requests', 'stop: a string or up to 4 of them', async () => {
  await refused([
    [{ stop: 5 }, 'stop'],
    [{ stop: ['a', 'b', 'c', 'd', 'e'] }, 'stop'],
    [{ stop: ['a', 5] }, 'stop[1]'],
  ])
  await accepted([{ stop: 'x' }, { stop: ['a', 'b', 'c', 'd'] }, { stop: [] }])
})

rule('Chat requests', 'stream is a boolean, seed an integer, user a string', () =>
  refused([
    [{ stream: 'yes' }, 'stream'],
    [{ seed: 1.5 }, 'seed'],
    [{ user: 5 }, 'user'],
  ]),
)

rule('Chat requests', 'tools: function definitions', async () => {
  await refused([
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
  await accepted([{ tools: [tool] }])
})

rule('Chat requests', 'tool_choice: none, auto, required, or an object', async () => {
  await refused([
    [{ tools: [tool], tool_choice: 'maybe' }, 'tool_choice'],
    [{ tools: [tool], tool_choice: 5 }, 'tool_choice'],
    [{ tools: [tool], tool_choice: { type: 'else' } }, 'tool_choice.type'],
  ])
  const named = { type: 'function', function: { name: 'look' } }
  await accepted(['none', 'auto', 'required', named].map((tool_choice) => ({ tools: [tool], tool_choice })))
})

rule('Chat requests', 'response_format: an object with a known type', async () => {
  await refused([
    [{ response_format: 'json' }, 'response_format'],
    [{ response_format: {} }, 'response_format.type'],
    [{ response_format: { type: 'xml' } }, 'response_format.type'],
    [{ response_format: { type: 'json_schema' } }, 'response_format.json_schema'],
    [{ response_format: { type: 'json_schema', json_schema: {} } }, 'response_format.json_schema.name'],
  ])
  await accepted([{ response_format: { type: 'json_object' } }, { response_format: { type: 'text' } }])
})

rule('Chat requests', 'n: 1 to 128, or 1 to 8 if the upstream does not support it', async () => {
  await refused([0, 129, 1.5, '2'].map((n) => [{ n }, 'n'] as const))
  await accepted([{ n: 1 }, { n: 128 }])
  const put = (id: string) =>
    tollgate.call('PUT', `/v1/providers/${id}`, {
      body: { apiFormat: 'anthropic-messages', baseUrl: 'http://127.0.0.1:9/v1', credential: 'k' },
    })
  expect((await put('claudes')).status).toBe(200)
  const model = { provider: 'claudes', upstreamModel: 'claude-opus-5' }
  expect((await tollgate.call('PUT', '/v1/models/single', { body: model })).status).toBe(200)
  await refused([[{ model: 'single', n: 9 }, 'n']])
})

rule('Chat requests', 'Unknown types are forwarded to upstreams of the same format', async () => {
  await stage.model('vendors-own', says('hi'), { capabilities: ['vision'] })
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
  expect(stage.calls('vendors-own')[0]?.json()).toEqual({ model: 'vendors-own', ...body })
})

rule(
  'Chat requests',
  'Also accepted: developer and function roles and the newer documented fields',
  async () => {
    await accepted(
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
    await refused([
      [{ max_completion_tokens: 0 }, 'max_completion_tokens'],
      [{ stream_options: 'all' }, 'stream_options'],
      [{ stream_options: { include_usage: 'yes' } }, 'stream_options.include_usage'],
      [{ parallel_tool_calls: 'no' }, 'parallel_tool_calls'],
      [{ reasoning_effort: 5 }, 'reasoning_effort'],
    ])
  },
)

rule('Chat requests', 'Null is accepted for every optional field', () =>
  accepted([
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
      ...{ seed: null, user: null, n: null, max_completion_tokens: null, stream_options: null },
      ...{ parallel_tool_calls: null, reasoning_effort: null },
    },
  ]),
)

rule('Chat requests', 'Every other field is forwarded to an upstream of the same format', async () => {
  await stage.model('mirror', says('hi'))
  const body = {
    top_p: 0.5,
    logit_bias: { 50256: -100 },
    metadata: { a: 'b' },
    some_new_field: { nested: [1, 'two', null] },
    messages: [{ role: 'user', content: 'Hello', cache_control: { type: 'ephemeral' } }],
  }
  expect((await tollgate.chat({ model: 'mirror', ...body })).status).toBe(200)
  expect(stage.calls('mirror')[0]?.json()).toEqual({ model: 'mirror', ...body })
})

rule('Chat requests', 'Fields that would change routing or credentials are rejected by name', () =>
  refused(
    [
      'api_base',
      'base_url',
      'api_key',
      'api_type',
      'api_version',
      'headers',
      'extra_headers',
      'organization',
      'models',
      'route',
      'provider',
      'fallbacks',
      'api_base_url',
    ].map((field) => [{ [field]: 'x' }, field] as const),
  ),
)

rule('Chat requests', 'Image parts for a model without vision: 400, param messages', async () => {
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'What is it?' }, image] }]
  await refused([[{ model: 'sandbox-small', messages }, 'messages']])
  await accepted([{ model: 'sandbox-large', messages }])
})

rule('Chat requests', 'The gateway never fetches an image URL: it forwards it unchanged', async () => {
  await stage.model('sees', says('a cat'), { capabilities: ['vision'] })
  const url = `${stage.url}/cat.png`
  const content = [{ type: 'image_url', image_url: { url } }]
  await tollgate.chat({ model: 'sees', messages: [{ role: 'user', content }] })
  const [call] = stage.calls('sees')
  expect(call?.json().messages).toEqual([{ role: 'user', content }])
  expect(call?.path).toBe('/chat/completions')
})

rule('HTTP', 'JSON may be nested up to 64 levels', async () => {
  const nested = (levels: number) =>
    `{"model":"sandbox-small","messages":[{"role":"user","content":"x"}],"deep":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
  expect((await tollgate.call('POST', '/v1/chat/completions', { body: nested(64) })).status).toBe(200)
  for (const levels of [65, 10_000]) {
    const { status, json } = await tollgate.call('POST', '/v1/chat/completions', { body: nested(levels) })
    expect([status, json.error.type]).toEqual([400, 'invalid_request_error'])
  }
})

rule('HTTP', 'Bodies up to 32 MB are accepted', async () => {
  const planLimits = { 'pay-as-you-go': { tokensPerMinute: 100_000_000 } }
  await tollgate.call('PATCH', '/v1/settings', { body: { planLimits } })
  await stage.model('large', says('read it all'))
  const content = 'word '.repeat(6_000_000)
  const { status } = await tollgate.chat({ model: 'large', messages: [{ role: 'user', content }] })
  expect(status).toBe(200)
  expect(stage.calls('large')[0]?.body.length).toBeGreaterThan(30_000_000)
})

rule('HTTP', 'Ambiguous JSON is rejected: 1e400, a duplicate member, __proto__, invalid UTF-8', async () => {
  const around = (more: string) =>
    `{"model":"sandbox-small","messages":[{"role":"user","content":"x"}],${more}}`
  for (const body of [
    around('"max_tokens":1e400'),
    around('"n":1,"n":8'),
    around('"__proto__":{}'),
    around('"n":01'),
  ]) {
    const { status, json } = await tollgate.call('POST', '/v1/chat/completions', { body })
    expect([body, status, json.error.type]).toEqual([body, 400, 'invalid_request_error'])
  }
  const response = await fetch(`${tollgate.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tollgate.admin}`, 'content-type': 'application/json' },
    body: Uint8Array.of(0x22, 0xff, 0xfe, 0x22),
  })
  expect(response.status).toBe(400)
  await response.body?.cancel()
})

rule('Chat requests', 'An unknown model slug is 404, an invalid body 400', async () => {
  const unknown = await tollgate.chat({ model: 'no-such-model' })
  expect([unknown.status, unknown.json.error.type, unknown.json.error.param]).toEqual([
    404,
    'not_found_error',
    'model',
  ])
  expect((await tollgate.chat({ model: 'no-such-model', temperature: 3 })).status).toBe(400)
})
