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
    const { untranslatable } = decode({ messages: [{ role: 'user', content: [block] }] })
    expect(untranslatable).toMatchObject({ kind: 'status', status: 400, param: `messages[0].${param}` })
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
