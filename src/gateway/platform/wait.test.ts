import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { systemClock } from './clock.ts'
import { startWait } from './wait.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a wait ends once', async () => {
  const ended = vi.fn()
  const wait = startWait<number>({
    clock: systemClock,
    signal: new AbortController().signal,
    ms: 10,
    onTimeout: () => {},
    onEnd: ended,
  })
  wait.resolve(1)
  wait.resolve(2)
  wait.reject(new Error('late'))
  expect(await wait.promise).toBe(1)
  expect(ended).toHaveBeenCalledOnce()
  await vi.advanceTimersByTimeAsync(100)
  expect(vi.getTimerCount()).toBe(0)
})

test('the time-out ends it', async () => {
  const wait = startWait<string>({
    clock: systemClock,
    signal: new AbortController().signal,
    ms: 30,
    onTimeout: () => wait.resolve('done'),
    onEnd: () => {},
  })
  await vi.advanceTimersByTimeAsync(30)
  expect(await wait.promise).toBe('done')
  expect(vi.getTimerCount()).toBe(0)
})

test('it rejects with the reason of the signal that aborts', async () => {
  const left = new AbortController()
  const wait = startWait<string>({
    clock: systemClock,
    signal: left.signal,
    ms: 30,
    onTimeout: () => {},
    onEnd: () => {},
  })
  left.abort(new Error('left'))
  await expect(wait.promise).rejects.toThrow('left')
  expect(vi.getTimerCount()).toBe(0)
})
