import { describe, expect, test } from 'vitest'
import { parseJson } from './json.ts'

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
