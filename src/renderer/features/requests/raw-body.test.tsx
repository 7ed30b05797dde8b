import { expect, it } from 'vitest'
import { formatBody, splitIntoBlocks } from './detail.tsx'

it('writes JSON with line breaks, and leaves an event stream as it is', () => {
  expect(formatBody('{"a":[1]}')).toEqual({ kind: 'JSON', text: '{\n  "a": [\n    1\n  ]\n}' })
  expect(formatBody('data: {"a":1}\n\n')).toEqual({ kind: 'Event stream', text: 'data: {"a":1}\n\n' })
  expect(formatBody('hello')).toEqual({ kind: 'Text', text: 'hello' })
})

it('cuts a text after lines, and keeps all of it', () => {
  const text = Array.from({ length: 3_000 }, (_, n) => `line ${n}`).join('\n')
  const blocks = splitIntoBlocks(text)
  expect(blocks.length).toBeGreaterThan(5)
  expect(blocks.map((block) => block.text).join('\n')).toBe(text)
  expect(blocks.every((block) => block.text.startsWith('line '))).toBe(true)
})

it('cuts a long line, but not within a character', () => {
  const text = '😀'.repeat(10_001)
  const blocks = splitIntoBlocks(text)
  expect(blocks.map((block) => block.text).join('')).toBe(text)
  expect(blocks.every((block) => block.text.isWellFormed())).toBe(true)
})
