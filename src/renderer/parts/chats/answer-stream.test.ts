import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createBatch } from './answer-stream.ts'

const FRAME_MS = 16

function collect(takesMs = 0) {
  const applied: string[] = []
  const { add, flush } = createBatch((parts) => {
    applied.push(parts.map(({ part }) => (part.type === 'text' ? part.text : '')).join(''))
    vi.advanceTimersByTime(takesMs)
  })
  return { applied, flush, add: (text: string) => add({ part: { type: 'text', text }, ms: 1 }) }
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('parts are applied once per frame', () => {
  const { add, applied } = collect()
  for (const text of 'abc') add(text)
  expect(applied).toEqual([])
  vi.advanceTimersByTime(FRAME_MS)
  expect(applied).toEqual(['abc'])
  add('d')
  vi.advanceTimersByTime(FRAME_MS)
  expect(applied).toEqual(['abc', 'd'])
})

test('the end of a stream applies the rest immediately, and nothing later', () => {
  const { add, flush, applied } = collect()
  add('a')
  flush()
  expect(applied).toEqual(['a'])
  vi.advanceTimersByTime(1000)
  expect(applied).toEqual(['a'])
})

test('after a slow batch, the next one waits longer', () => {
  const { add, applied } = collect(100)
  add('a')
  vi.advanceTimersByTime(FRAME_MS)
  add('b')
  vi.advanceTimersByTime(199)
  expect(applied).toEqual(['a'])
  vi.advanceTimersByTime(1)
  expect(applied).toEqual(['a', 'b'])
})
