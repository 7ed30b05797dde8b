import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { ChatRequest } from '../../shared/formats/chat.ts'
import { decodeUtf8, parseStrictJson, validate } from './json-body.ts'

const parse = parseStrictJson
const list = (element: string, count: number) => `[${Array.from({ length: count }, () => element).join(',')}]`
const object = (count: number) => `{${Array.from({ length: count }, (_, i) => `"k${i}":1`).join(',')}}`

test('returns what JSON.parse returns', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value)
      if (text.includes('"__proto__"')) return
      expect(parse(text)).toEqual(JSON.parse(text))
    }),
  )
})

test.each([
  String.raw`{"a":"\"","b":"\\","c":"\\\"","d":"x\\\\"}`,
  String.raw`["\"}]{[", "\\"]`,
  '{"a":{"b":1},"b":[{"a":1},{"a":2}]}',
  ' [ -0.5e-3 , 1E+2 , 1.7976931348623157e308 ] ',
  `"${'\\"'.repeat(1000)}"`,
])('passes %j', (text) => {
  expect(parse(text)).toEqual(JSON.parse(text))
})

test.each([
  ['{"a":1,"a":2}', 'appears twice'],
  [String.raw`{"a\"":1,"a\u0022":2}`, 'appears twice'],
  [String.raw`{"x":"\\","x":1}`, 'appears twice'],
  [String.raw`{"\u005f_proto__":1}`, '__proto__'],
  ['[1e400]', 'too large'],
  ['[-1e400]', 'too large'],
  [`[${'9'.repeat(400)}]`, 'too large'],
  [`[${'1'.repeat(1001)}]`, '1,000 digits'],
  ['['.repeat(65) + ']'.repeat(65), '64 levels'],
  [object(10_001), '10,000 members in one object'],
  [list(object(9_000), 23), '200,000 members'],
  [list('{}', 10_001), '10,000 elements'],
  [list('[]', 10_001), '10,000 elements'],
  [list(list('{}', 9_999), 11), '100,000 objects and arrays'],
  [list('1', 1_000_001), '1,000,000 values'],
  ['{"a":"', 'not valid JSON'],
  ['{"a":"\\"', 'not valid JSON'],
])('refuses %.40s', (text, why) => {
  expect(() => parse(text)).toThrow(
    expect.objectContaining({ status: 400, message: expect.stringContaining(why) }),
  )
})

test('amounts at the limits are accepted', () => {
  for (const text of [object(10_000), list('{}', 10_000), list(object(10_000), 20), list('"x"', 1_000_000)])
    expect(parse(text)).toEqual(JSON.parse(text))
})

test('text is decoded without its byte order mark; invalid UTF-8 is refused', () => {
  expect(decodeUtf8(Buffer.from('\ufeff{"é":1}'))).toBe('{"é":1}')
  expect(() => decodeUtf8(Buffer.of(0x22, 0xff, 0x22))).toThrow(
    expect.objectContaining({ status: 400, message: expect.stringContaining('UTF-8') }),
  )
})

const good = { role: 'user', content: 'Hi' }
const chat = (messages: unknown[]) => ({ model: 'm', messages })

test.each([
  [chat([...Array(2_000).fill(good), { role: 'bad' }, { role: 5 }]), 'messages[2000].role'],
  [
    chat([...Array(2_000).fill(good), { role: 'user', content: [{ type: 'text' }] }]),
    'messages[2000].content[0].text',
  ],
  [{ ...chat([good]), tools: Array(2_000).fill({}) }, 'tools[0].type'],
  [{ ...chat([good]), stop: Array(2_000).fill('x') }, 'stop'],
])('names the first fault of a long list as of a short one', (body, param) => {
  expect(() => validate(ChatRequest, body, 'request body')).toThrow(
    expect.objectContaining({ status: 400, body: expect.objectContaining({ param }) }),
  )
})

test('returns a valid long list as the schema transforms it', () => {
  const body = { ...chat(Array(5_000).fill(good)), unknown: Array(5_000).fill({}) }
  expect(validate(ChatRequest, body, 'request body')).toEqual(body)
})

test('stops at the first invalid element of a long list', () => {
  const check = vi.fn(() => false)
  const element = z.unknown().refine(check)
  const schema = z.object({ list: z.array(element).nullish() })
  expect(() => validate(schema, { list: Array(10_000).fill(1) }, 'body')).toThrow()
  expect(check).toHaveBeenCalledTimes(1)
  check.mockClear()
  const nested = z.object({ list: z.array(z.object({ parts: z.array(element) })) })
  const message = { parts: Array(1_000).fill(1) }
  expect(() => validate(nested, { list: [message, message, message] }, 'body')).toThrow()
  expect(check).toHaveBeenCalledTimes(1_000)
})
