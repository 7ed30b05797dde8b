import { expect, test } from 'vitest'
import { ListSplitter, splitLines } from './splitters.ts'

const BODY =
  ' {"note": "[\\"{", "requests" : [ {"a": "}]\\\\"} , {"b": [1, {"c": "é"}]}\n], "more": {"x": [1]}}'

function split(body: string, size: number) {
  const splitter = new ListSplitter('requests')
  const bytes = Buffer.from(body)
  const elements: string[] = []
  for (let at = 0; at < bytes.byteLength; at += size)
    elements.push(...splitter.push(bytes.subarray(at, at + size)).map((each) => each.toString()))
  return { elements, ...splitter.end() }
}

test.each([1, 2, 3, 7, 1_000])('a list is divided in chunks of %i bytes', (size) => {
  expect(split(BODY, size)).toEqual({
    elements: ['{"a": "}]\\\\"}', '{"b": [1, {"c": "é"}]}'],
    head: ' {"note": "[\\"{", "requests" : [',
    tail: '], "more": {"x": [1]}}',
  })
})

test.each([
  ['{"requests": [1]}'],
  ['{"requests": [{} {}]}'],
  ['{"requests": [{},,{}]}'],
  ['{"requests": {}}'],
  ['{"other": [{}]}'],
  ['[{}]'],
  ['{"requests": [{}'],
  ['{"requests": [{}]'],
  ['{"requests": [{}], "requests": []}'],
  [''],
])('%s is refused', (body) => {
  expect(() => split(body, 3)).toThrow()
})

test.each([1, 4, 100])('lines are divided in chunks of %i bytes', async (size) => {
  const bytes = Buffer.from('one\n\ntwo é\nthree')
  async function* chunks() {
    for (let at = 0; at < bytes.byteLength; at += size) yield bytes.subarray(at, at + size)
  }
  const lines: string[] = []
  for await (const line of splitLines(chunks())) lines.push(line.toString())
  expect(lines).toEqual(['one', '', 'two é', 'three'])
})
