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
    onTimeout: () => 10,
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

test('after the time-out it ends, or the time-out is repeated', async () => {
  let timeouts = 0
  const wait = startWait<string>({
    clock: systemClock,
    signal: new AbortController().signal,
    ms: 30,
    onTimeout: () => {
      timeouts += 1
      if (timeouts === 3) wait.resolve('done')
      return 5
    },
    onEnd: () => {},
  })
  await vi.advanceTimersByTimeAsync(29)
  expect(timeouts).toBe(0)
  await vi.advanceTimersByTimeAsync(11)
  expect(await wait.promise).toBe('done')
  expect(vi.getTimerCount()).toBe(0)
})

test('it rejects with the reason of the signal that aborts', async () => {
  const left = new AbortController()
  const wait = startWait<string>({
    clock: systemClock,
    signal: left.signal,
    ms: 30,
    onTimeout: () => 1,
    onEnd: () => {},
  })
  left.abort(new Error('left'))
  await expect(wait.promise).rejects.toThrow('left')
  expect(vi.getTimerCount()).toBe(0)
})
