import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startWait } from './wait.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a wait ends once, and says so', async () => {
  const ended = vi.fn()
  const wait = startWait<number>({ signal: new AbortController().signal, ms: 10, over: () => 10, ended })
  wait.resolve(1)
  wait.resolve(2)
  wait.reject(new Error('late'))
  expect(await wait.promise).toBe(1)
  expect(ended).toHaveBeenCalledOnce()
  await vi.advanceTimersByTimeAsync(100)
  expect(vi.getTimerCount()).toBe(0)
})

test('when its time is over, it ends or is looked at again', async () => {
  let looks = 0
  const wait = startWait<string>({
    signal: new AbortController().signal,
    ms: 30,
    over: () => {
      looks += 1
      if (looks === 3) wait.resolve('done')
      return 5
    },
    ended: () => {},
  })
  await vi.advanceTimersByTimeAsync(29)
  expect(looks).toBe(0)
  await vi.advanceTimersByTimeAsync(11)
  expect(await wait.promise).toBe('done')
  expect(vi.getTimerCount()).toBe(0)
})

test('it rejects with the reason of the signal that aborts', async () => {
  const left = new AbortController()
  const wait = startWait<string>({ signal: left.signal, ms: 30, over: () => 1, ended: () => {} })
  left.abort(new Error('left'))
  await expect(wait.promise).rejects.toThrow('left')
  expect(vi.getTimerCount()).toBe(0)
})
