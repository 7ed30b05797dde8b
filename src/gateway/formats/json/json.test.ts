import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalJson, parseJson } from './json.ts'

const lists = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

describe('parseJson', () => {
  test('reads 200 nested levels, but not more', () => {
    expect(parseJson(lists(200))).toBeInstanceOf(Array)
    expect(parseJson(lists(201))).toBeUndefined()
    expect(parseJson(lists(100_000))).toBeUndefined()
    expect(parseJson(`${'{"a":'.repeat(201)}1${'}'.repeat(201)}`)).toBeUndefined()
    expect(parseJson('{"a":['.repeat(100_000))).toBeUndefined()
  })

  test('ignores brackets inside strings', () => {
    const text = '[{('.repeat(1_000)
    for (const value of [text, `"${text}`, `\\${text}\\`, `\\"${text}`])
      expect(parseJson(JSON.stringify([value, { [value]: value }]))).toEqual([value, { [value]: value }])
  })

  test('reads many sibling members', () => {
    expect(parseJson(`[${'[],{},'.repeat(1_000)}1]`)).toHaveLength(2_001)
  })
})

test('canonical JSON does not depend on the order of members, and loses nothing', () => {
  expect(canonicalJson({ b: [1e21, 0.000_001, -0], a: '\u20ac\u0007"', '\u00e9': null })).toBe(
    '{"a":"€\\u0007\\"","b":[1e+21,0.000001,0],"é":null}',
  )
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value)
      expect(canonicalJson(JSON.parse(text))).toBe(text)
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
  expect(() => canonicalJson('\ud800')).toThrow(TypeError)
})
