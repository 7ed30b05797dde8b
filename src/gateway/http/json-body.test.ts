import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeUtf8, parseStrictJson } from './json-body.ts'

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
