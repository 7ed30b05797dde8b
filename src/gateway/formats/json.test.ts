import { describe, expect, test } from 'vitest'
import { parseJson } from './json.ts'

const lists = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

describe('parseJson', () => {
  test('reads what nests 200 levels deep, and nothing deeper', () => {
    expect(parseJson(lists(200))).toBeInstanceOf(Array)
    expect(parseJson(lists(201))).toBeUndefined()
    expect(parseJson(lists(100_000))).toBeUndefined()
    expect(parseJson(`${'{"a":'.repeat(201)}1${'}'.repeat(201)}`)).toBeUndefined()
    expect(parseJson('{"a":['.repeat(100_000))).toBeUndefined()
  })

  test('does not take brackets inside of strings for levels', () => {
    const text = '[{('.repeat(1_000)
    for (const said of [text, `"${text}`, `\\${text}\\`, `\\"${text}`])
      expect(parseJson(JSON.stringify([said, { [said]: said }]))).toEqual([said, { [said]: said }])
  })

  test('reads many members side by side', () => {
    expect(parseJson(`[${'[],{},'.repeat(1_000)}1]`)).toHaveLength(2_001)
  })
})
