import { expect, test, vi } from 'vitest'
import { unlessAborted } from './unless-aborted.ts'

const aborted = AbortSignal.abort(new Error('left'))

test('it is what the promise is, as long as nothing aborts', async () => {
  const { signal } = new AbortController()
  expect(await unlessAborted(Promise.resolve(1), signal)).toBe(1)
  await expect(unlessAborted(Promise.reject(new Error('no')), signal)).rejects.toThrow('no')
})

test('it rejects with the reason at once, and hands on what comes late', async () => {
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

test('a rejection that nobody waits for any more is not left unhandled', async () => {
  const unhandled = vi.fn()
  process.on('unhandledRejection', unhandled)
  const { promise, reject } = Promise.withResolvers<string>()
  await expect(unlessAborted(promise, aborted)).rejects.toThrow('left')
  reject(new Error('late'))
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', unhandled)
  expect(unhandled).not.toHaveBeenCalled()
})
