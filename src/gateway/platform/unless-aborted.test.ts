import { expect, test, vi } from 'vitest'
import { unlessAborted } from './wait.ts'

const aborted = AbortSignal.abort(new Error('left'))

test('it settles as the promise does unless the signal aborts', async () => {
  const { signal } = new AbortController()
  expect(await unlessAborted(Promise.resolve(1), signal)).toBe(1)
  await expect(unlessAborted(Promise.reject(new Error('no')), signal)).rejects.toThrow('no')
})

test('it rejects with the reason immediately, and passes on a late value', async () => {
  const leaving = new AbortController()
  const { promise, resolve } = Promise.withResolvers<string>()
  const late = vi.fn()
  const waiting = unlessAborted(promise, leaving.signal, late)
  leaving.abort(new Error('left'))
  await expect(waiting).rejects.toThrow('left')
  resolve('too late')
  await promise
  expect(late).toHaveBeenCalledWith('too late')
})

test('a late rejection is not an unhandled rejection', async () => {
  const unhandled = vi.fn()
  process.on('unhandledRejection', unhandled)
  const { promise, reject } = Promise.withResolvers<string>()
  await expect(unlessAborted(promise, aborted)).rejects.toThrow('left')
  reject(new Error('late'))
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', unhandled)
  expect(unhandled).not.toHaveBeenCalled()
})
