import { afterAll, expect } from 'vitest'
import { startProgram } from './testing/program.ts'
import { rule } from './testing/rule.ts'
import { says, startScriptedUpstream } from './testing/upstream.ts'
import { expectAccepted, expectRejected } from './testing/validation.ts'

const tollgate = await startProgram()
const upstream = await startScriptedUpstream(tollgate)
afterAll(async () => {
  await tollgate.close()
  await upstream.close()
})
const user = { role: 'user', content: 'Hello' }
const image = { type: 'image_url', image_url: { url: 'https://example.org/cat.png' } }
const tool = {
  type: 'function',
  function: { name: 'look', description: 'Looks', parameters: { type: 'object' } },
}

rule('Chat requests', 'n: 1 to 128, or 1 to 8 if the upstream does not support it', async () => {
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

rule('Chat requests', 'Unknown types are forwarded to upstreams of the same format', async () => {
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

rule(
  'Chat requests',
  'Also accepted: developer and function roles and the newer documented fields',
  async () => {
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
  },
)

rule('Chat requests', 'Null is accepted for every optional field', () =>
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
  ]),
)

rule('Chat requests', 'Every other field is forwarded to an upstream of the same format', async () => {
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

rule('Chat requests', 'Fields that would change routing or credentials are rejected by name', () =>
  expectRejected(
    tollgate,
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
  await expectRejected(tollgate, [[{ model: 'sandbox-small', messages }, 'messages']])
  await expectAccepted(tollgate, [{ model: 'sandbox-large', messages }])
})

rule('Chat requests', 'The gateway never fetches an image URL: it forwards it unchanged', async () => {
  await upstream.model('sees', says('a cat'), { capabilities: ['vision'] })
  const url = `${upstream.url}/cat.png`
  const content = [{ type: 'image_url', image_url: { url } }]
  await tollgate.chat({ model: 'sees', messages: [{ role: 'user', content }] })
  const [call] = upstream.calls('sees')
  expect(call?.json().messages).toEqual([{ role: 'user', content }])
  expect(call?.path).toBe('/chat/completions')
})

rule('Chat requests', 'To an upstream of the same format, all other bytes of the body stay', async () => {
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
