import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createPause, PartBatch, type TimedPart } from './answer-stream.ts'

const FRAME_MS = 16

/** Animation frames, as long as the window is visible. */
function stubFrames(visible: boolean): void {
  vi.stubGlobal('requestAnimationFrame', (callback: () => void) =>
    visible ? Number(setTimeout(callback, FRAME_MS)) : 0,
  )
  vi.stubGlobal('cancelAnimationFrame', (handle: number) => clearTimeout(handle))
}

const part = (text: string): TimedPart => ({ part: { type: 'text', text }, ms: 1 })

function collect(): { batch: PartBatch; applied: string[] } {
  const applied: string[] = []
  const batch = new PartBatch((parts) => {
    applied.push(parts.map((one) => (one.part.type === 'text' ? one.part.text : '')).join(''))
  })
  return { batch, applied }
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('parts are applied once per animation frame', () => {
  stubFrames(true)
  const { batch, applied } = collect()
  for (const text of 'abc') batch.add(part(text))
  expect(applied).toEqual([])
  vi.advanceTimersByTime(FRAME_MS)
  expect(applied).toEqual(['abc'])
  batch.add(part('d'))
  vi.advanceTimersByTime(2 * FRAME_MS)
  expect(applied).toEqual(['abc', 'd'])
})

test('a hidden window, which has no frames, applies them by a timer', () => {
  stubFrames(false)
  const { batch, applied } = collect()
  batch.add(part('a'))
  vi.advanceTimersByTime(249)
  expect(applied).toEqual([])
  vi.advanceTimersByTime(1)
  expect(applied).toEqual(['a'])
})

test('the end of a stream applies the rest immediately, and nothing later', () => {
  stubFrames(true)
  const { batch, applied } = collect()
  batch.add(part('a'))
  batch.flush()
  expect(applied).toEqual(['a'])
  vi.advanceTimersByTime(1000)
  expect(applied).toEqual(['a'])
})

test('reading pauses only after it has taken long', () => {
  const pause = createPause()
  expect(pause()).toBeUndefined()
  vi.advanceTimersByTime(20)
  expect(pause()).toBeInstanceOf(Promise)
})
