import { expect, onTestFinished, test, vi } from 'vitest'
import { ReaderThreads, type Thread } from './thread.ts'

/** A thread whose reads return their arguments. */
function fakeThread() {
  const close = vi.fn(async () => {})
  const thread: Thread = { restored: null, call: vi.fn(async (_op, args) => args), close }
  return { thread, close }
}

test('the thread starts at the first read, serves the next, and ends when nothing was read for a while', async () => {
  const { thread, close } = fakeThread()
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const start = vi.fn(async () => thread)
  const readers = new ReaderThreads(start, 60_000)
  expect(start).not.toHaveBeenCalled()
  expect(await readers.read('getRequest', [1])).toEqual([1])
  expect(await readers.read('getRequest', [2])).toEqual([2])
  expect(start).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(close).toHaveBeenCalledTimes(1)
  await readers.read('getRequest', [3])
  expect(start).toHaveBeenCalledTimes(2)
  await readers.close()
})

test('the thread of ordinary reads goes on for as long as the store', async () => {
  vi.useFakeTimers()
  const { thread, close } = fakeThread()
  const readers = new ReaderThreads(async () => thread, null)
  await readers.read('getRequest', [1])
  await vi.advanceTimersByTimeAsync(24 * 60 * 60_000)
  vi.useRealTimers()
  expect(close).not.toHaveBeenCalled()
  await readers.close()
  expect(close).toHaveBeenCalledTimes(1)
})

test('a long read has its own thread, which ends with it', async () => {
  const { thread, close } = fakeThread()
  const readers = new ReaderThreads(async () => thread)
  await readers.read('checkTotals', [])
  expect(close).toHaveBeenCalledTimes(1)
})

test('closing waits for the reads whose thread is still starting, and refuses later ones', async () => {
  const { thread, close } = fakeThread()
  const starting = Promise.withResolvers<Thread>()
  const readers = new ReaderThreads(() => starting.promise)
  const reading = readers.read('getRequest', [1])
  const closing = readers.close()
  starting.resolve(thread)
  expect(await reading).toEqual([1])
  await closing
  expect(close).toHaveBeenCalledTimes(1)
  await expect(readers.read('getRequest', [2])).rejects.toMatchObject({ code: 'closed' })
})

test('a thread that could not start is started again at the next read', async () => {
  const { thread } = fakeThread()
  const start = vi.fn(async () => thread).mockRejectedValueOnce(new Error('too many threads'))
  const readers = new ReaderThreads(start)
  await expect(readers.read('getRequest', [1])).rejects.toThrow('too many threads')
  expect(await readers.read('getRequest', [2])).toEqual([2])
  await readers.close()
})
