import { afterAll, expect } from 'vitest'
import { startProgram } from './testing/program.ts'
import { rule } from './testing/rule.ts'
import { startScriptedUpstream } from './testing/upstream.ts'
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

rule('Chat requests', 'model: a string, required', () =>
  expectRejected(tollgate, [
    [{ model: undefined }, 'model'],
    [{ model: 5 }, 'model'],
    [{ model: '' }, 'model'],
    [{ model: null }, 'model'],
  ]),
)

rule('Chat requests', 'messages: a list of messages, required', () =>
  expectRejected(tollgate, [
    [{ messages: undefined }, 'messages'],
    [{ messages: 'Hello' }, 'messages'],
    [{ messages: [] }, 'messages'],
    [{ messages: ['Hello'] }, 'messages[0]'],
    [{ messages: [user, null] }, 'messages[1]'],
  ]),
)

rule('Chat requests', 'A message’s role is system, user, assistant or tool', async () => {
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

rule('Chat requests', 'A message’s content is a string or a list of parts, and required', () =>
  expectRejected(tollgate, [
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
      ...['low', 'high', 'auto'].map((detail) =>
        one({ ...image, image_url: { ...image.image_url, detail } }),
      ),
    ])
  },
)

rule('Chat requests', 'temperature: 0 to 2', async () => {
  await expectRejected(
    tollgate,
    [-0.1, 2.1, '1', Number.MAX_VALUE].map((temperature) => [{ temperature }, 'temperature'] as const),
  )
  await expectAccepted(tollgate, [{ temperature: 0 }, { temperature: 2 }, { temperature: 0.7 }])
})

rule('Chat requests', 'max_tokens: an integer', async () => {
  await expectRejected(
    tollgate,
    [0, -1, 1.5, '5'].map((max_tokens) => [{ max_tokens }, 'max_tokens'] as const),
  )
  await expectAccepted(tollgate, [{ max_tokens: 1 }, { max_tokens: 100_000 }])
})

rule('Chat requests', 'stop: a string or up to 4 of them', async () => {
  await expectRejected(tollgate, [
    [{ stop: 5 }, 'stop'],
    [{ stop: ['a', 'b', 'c', 'd', 'e'] }, 'stop'],
    [{ stop: ['a', 5] }, 'stop[1]'],
  ])
  await expectAccepted(tollgate, [{ stop: 'x' }, { stop: ['a', 'b', 'c', 'd'] }, { stop: [] }])
})

rule('Chat requests', 'stream is a boolean, seed an integer, user a string', () =>
  expectRejected(tollgate, [
    [{ stream: 'yes' }, 'stream'],
    [{ seed: 1.5 }, 'seed'],
    [{ user: 5 }, 'user'],
  ]),
)

rule('Chat requests', 'tools: function definitions', async () => {
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

rule('Chat requests', 'tool_choice: none, auto, required, or an object', async () => {
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

rule('Chat requests', 'response_format: an object with a known type', async () => {
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

rule('Chat requests', 'An unknown model slug is 404, an invalid body 400', async () => {
  const unknown = await tollgate.chat({ model: 'no-such-model' })
  expect([unknown.status, unknown.json.error.type, unknown.json.error.param]).toEqual([
    404,
    'not_found_error',
    'model',
  ])
  expect((await tollgate.chat({ model: 'no-such-model', temperature: 3 })).status).toBe(400)
})
