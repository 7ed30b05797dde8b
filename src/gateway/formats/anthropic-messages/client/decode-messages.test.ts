import { describe, expect, test } from 'vitest'
import { encodeSignedReasoning } from '../../chat/reasoning.ts'
import { decode, image, mark } from './testing/decode.ts'

const request = (more: object) => decode(more).request
const user = (content: unknown) => request({ messages: [{ role: 'user', content }] }).messages
const assistant = (content: unknown) =>
  request({
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content },
    ],
  }).messages[1]
const imagePart = { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } }

describe('the instructions', () => {
  test('are the first message, with their cache control', () => {
    expect(request({ system: 'Be brief.' }).messages[0]).toEqual({ role: 'system', content: 'Be brief.' })
    const text = (value: string) => ({ type: 'text', text: value })
    expect(request({ system: [text('One.'), text('Two.')] }).messages[0]).toEqual({
      role: 'system',
      content: 'One.\nTwo.',
    })
    expect(request({ system: [text('One.'), { ...text('Two.'), ...mark }] }).messages[0]).toEqual({
      role: 'system',
      content: [text('One.'), { ...text('Two.'), ...mark }],
    })
    expect(request({ system: [] }).messages).toHaveLength(1)
  })

  test('can also be in the middle', () => {
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
      { role: 'system', output_config: { effort: 'low' } },
    ]
    expect(request({ messages }).messages).toEqual([
      { role: 'user', content: 'Hi' },
      { role: 'system', content: 'Be brief.' },
    ])
  })
})

describe('content', () => {
  test('keeps text and images in order', () => {
    const url = { type: 'image', source: { type: 'url', url: 'https://example.test/a.png' }, ...mark }
    expect(user([{ type: 'text', text: 'See:' }, image, url])).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'See:' },
          imagePart,
          { type: 'image_url', image_url: { url: 'https://example.test/a.png' }, ...mark },
        ],
      },
    ])
    expect(user([{ type: 'text', text: 'Hi' }])).toEqual([{ role: 'user', content: 'Hi' }])
  })

  test('has documents as files or as text', () => {
    const pdf = { type: 'base64', media_type: 'application/pdf', data: 'aGk=' }
    const plain = { type: 'text', media_type: 'text/plain', data: 'Body' }
    const blocks = [
      { type: 'document', source: pdf, title: 'a.pdf' },
      { type: 'document', source: plain, title: 'Title', context: 'Context' },
      { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'Part' }, image] } },
      {
        type: 'search_result',
        source: 'https://example.test',
        title: 'Found',
        content: [{ type: 'text', text: 'It.' }],
      },
    ]
    expect(user(blocks)).toEqual([
      {
        role: 'user',
        content: [
          { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,aGk=' } },
          { type: 'text', text: 'Title\nContext\nBody' },
          { type: 'text', text: 'Part' },
          imagePart,
          { type: 'text', text: 'Found\nhttps://example.test\nIt.' },
        ],
      },
    ])
  })

  test.each([
    ['a stored file', { type: 'image', source: { type: 'file', file_id: 'f' } }, 'content[0].source.type'],
    ['an image without its URL', { type: 'image', source: { type: 'url' } }, 'content[0].source.url'],
    ['a PDF at a URL', { type: 'document', source: { type: 'url', url: 'x' } }, 'content[0].source.type'],
    ['a block of a later version', { type: 'container_upload', file_id: 'f' }, 'content[0].type'],
  ])('with %s is refused by providers of other formats', (_, block, param) => {
    const { unsupported } = decode({ messages: [{ role: 'user', content: [block] }] })
    expect(unsupported).toMatchObject({ kind: 'status', status: 400, param: `messages[0].${param}` })
  })
})

describe('tool calls', () => {
  test('are calls with their arguments as text, and a result each', () => {
    const messages = [
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Both.' },
          { type: 'tool_use', id: 'a', name: 'get_weather', input: { city: 'Rom' } },
          { type: 'tool_use', id: 'b', name: 'get_time', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'And now?' },
          { type: 'tool_result', tool_use_id: 'a', content: 'sunny', ...mark },
          {
            type: 'tool_result',
            tool_use_id: 'b',
            is_error: true,
            content: [{ type: 'text', text: 'no clock' }],
          },
        ],
      },
    ]
    expect(request({ messages }).messages).toEqual([
      {
        role: 'assistant',
        content: 'Both.',
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Rom"}' } },
          { id: 'b', type: 'function', function: { name: 'get_time', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: 'sunny', ...mark },
      { role: 'tool', tool_call_id: 'b', content: 'Error: no clock' },
      { role: 'user', content: 'And now?' },
    ])
  })

  test('with images in a result have them in the next message, where all vendors accept images', () => {
    expect(user([{ type: 'tool_result', tool_use_id: 'a', content: [image] }])).toEqual([
      { role: 'tool', tool_call_id: 'a', content: 'The result is in the next message.' },
      { role: 'user', content: [{ type: 'text', text: 'The result of the tool call a:' }, imagePart] },
    ])
    expect(user([{ type: 'tool_result', tool_use_id: 'a' }])).toEqual([
      { role: 'tool', tool_call_id: 'a', content: '' },
    ])
  })
})

describe('reasoning', () => {
  const call = { type: 'tool_use', id: 'a', name: 'f', input: {} }
  const data = { type: 'thinking', thinking: 'Hm.', signature: 'EqQB' }

  test('signed by Anthropic is kept as it is, with the call that it precedes', () => {
    const redacted = { type: 'redacted_thinking', data: 'Emw' }
    expect(assistant([redacted, { type: 'text', text: 'Hello.' }, data, call])).toMatchObject({
      content: 'Hello.',
      signed_reasoning: [
        { format: 'anthropic-messages', data: redacted },
        { format: 'anthropic-messages', data, call_id: 'a' },
      ],
    })
  })

  test('of another vendor is what the gateway was given', () => {
    const entry = { format: 'gemini-generate' as const, data: { thoughtSignature: 'x' } }
    const thinking = { type: 'thinking', thinking: 'Hm.', signature: encodeSignedReasoning(entry) }
    expect(assistant([thinking, call])).toMatchObject({ signed_reasoning: [entry] })
    const item = { format: 'openai-responses' as const, data: { type: 'reasoning' } }
    const wrapped = { ...thinking, signature: encodeSignedReasoning(item) }
    expect(assistant([wrapped, call])).toMatchObject({ signed_reasoning: [{ ...item, call_id: 'a' }] })
  })

  test('that is the signature of a call goes back into the call', () => {
    const entry = { format: 'gemini-generate' as const, data: { thoughtSignature: 'x', ofCall: true } }
    const thinking = { type: 'thinking', thinking: '', signature: encodeSignedReasoning(entry) }
    expect(assistant([thinking, call])).toEqual({
      role: 'assistant',
      content: null,
      tool_calls: [
        {
          id: 'a',
          type: 'function',
          function: { name: 'f', arguments: '{}' },
          extra_content: { google: { thought_signature: 'x' } },
        },
      ],
    })
  })

  test('without a signature is text', () => {
    const thinking = { type: 'thinking', thinking: 'Hm.', signature: '' }
    expect(assistant([thinking, { type: 'text', text: 'Hello.' }])).toEqual({
      role: 'assistant',
      content: 'Hello.',
      reasoning_content: 'Hm.',
    })
  })
})

describe('tools', () => {
  const input_schema = { type: 'object', properties: {} }

  test('are functions', () => {
    const tools = [
      { name: 'a', description: 'A', input_schema, strict: true, ...mark },
      { type: 'custom', name: 'b', input_schema },
    ]
    expect(request({ tools }).tools).toEqual([
      {
        type: 'function',
        function: { name: 'a', description: 'A', parameters: input_schema, strict: true },
        ...mark,
      },
      { type: 'function', function: { name: 'b', parameters: input_schema } },
    ])
  })

  test.each([
    [
      { type: 'auto', disable_parallel_tool_use: true },
      { tool_choice: 'auto', parallel_tool_calls: false },
    ],
    [{ type: 'any' }, { tool_choice: 'required' }],
    [{ type: 'none' }, { tool_choice: 'none' }],
    [{ type: 'tool', name: 'a' }, { tool_choice: { type: 'function', function: { name: 'a' } } }],
  ])('are chosen by %j', (tool_choice, expected) => {
    expect(request({ tools: [{ name: 'a', input_schema }], tool_choice })).toMatchObject(expected)
  })

  test.each(['web_search_20250305', 'bash_20250124'])('%s of Anthropic is named', (type) => {
    const { unsupported } = decode({ tools: [{ type, name: 'x' }] })
    expect(unsupported?.message).toContain(`the tool "${type}"`)
    expect(unsupported).toMatchObject({ status: 400, param: 'tools[0].type' })
  })
})

describe('options', () => {
  test.each([
    [{ thinking: { type: 'disabled' }, output_config: { effort: 'high' } }, { reasoning_effort: 'none' }],
    [{ thinking: { type: 'enabled', budget_tokens: 1_024 } }, { reasoning_effort: 'low' }],
    [{ thinking: { type: 'enabled', budget_tokens: 10_000 } }, { reasoning_effort: 'medium' }],
    [{ thinking: { type: 'enabled', budget_tokens: 31_999 } }, { reasoning_effort: 'high' }],
    [{ thinking: { type: 'adaptive' }, output_config: { effort: 'xhigh' } }, { reasoning_effort: 'xhigh' }],
    [{ stop_sequences: ['a', 'b'] }, { stop: ['a', 'b'] }],
    [
      { temperature: 0.5, top_p: 0.9 },
      { temperature: 0.5, top_p: 0.9 },
    ],
    [{ metadata: { user_id: 'u'.repeat(100) } }, { user: 'u'.repeat(64) }],
    [{ stream: true }, { stream: true }],
  ])('%j', (given, expected) => {
    expect(request(given)).toMatchObject(expected)
  })

  test('that only Anthropic has are left out if the result means the same without them', () => {
    const more = {
      top_k: 5,
      context_management: { edits: [] },
      service_tier: 'auto',
      speed: 'fast',
      thinking: { type: 'adaptive' },
      cache_control: { type: 'ephemeral' },
    }
    expect(decode(more)).toEqual(decode({}))
    expect(request({})).toEqual({
      model: 'x',
      messages: [{ role: 'user', content: 'Hi' }],
      max_completion_tokens: 100,
    })
  })

  test.each(['thread', 'container', 'mcp_servers', 'compaction'])('%s is refused elsewhere', (name) => {
    expect(decode({ [name]: { type: 'create' } }).unsupported).toMatchObject({ status: 400, param: name })
    expect(decode({ [name]: null }).unsupported).toBeNull()
  })

  test('for the cache alone are refused elsewhere', () => {
    expect(decode({ max_tokens: 0 }).unsupported).toMatchObject({ status: 400, param: 'max_tokens' })
  })

  test('the output follows a schema, in strict mode if the schema allows it', () => {
    const schema = { type: 'object', properties: { a: {} }, required: ['a'], additionalProperties: false }
    const format = (value: object) => ({ output_config: { format: { type: 'json_schema', schema: value } } })
    expect(request(format(schema)).response_format).toEqual({
      type: 'json_schema',
      json_schema: { name: 'answer', schema, strict: true },
    })
    const open = { type: 'object', properties: { a: schema } }
    expect(request(format(open)).response_format).toMatchObject({ json_schema: { strict: false } })
    const earlier = { output_format: { type: 'json_schema', schema } }
    expect(request(earlier).response_format).toEqual(request(format(schema)).response_format)
  })
})

test.each([
  [
    { messages: [{ role: 'user', content: [{ type: 'tool_use', id: 'a', name: 'f' }] }] },
    'messages[0].content[0]',
  ],
  [{ messages: [{ role: 'assistant', content: [image] }] }, 'messages[0].content[0]'],
  [{ messages: [{ role: 'system', content: [image] }] }, 'messages[0].content[0]'],
  [{ tools: [{ input_schema: {} }] }, 'tools[0].name'],
  [{ tools: [{ name: 'a' }], tool_choice: { type: 'tool' } }, 'tool_choice.name'],
  [{ tools: [{ name: 'a' }], tool_choice: { type: 'maybe' } }, 'tool_choice.type'],
])('%j is rejected with the path of the field', (more, param) => {
  expect(() => decode(more)).toThrow(
    expect.objectContaining({ status: 400, body: expect.objectContaining({ param }) }),
  )
})
