import { runInNewContext } from 'node:vm'
import { expect, onTestFinished, test, vi } from 'vitest'
import { exposeCollection, releaseMemoryWhenIdle } from './idle-memory.ts'

test('memory is released once when the thread is idle, and again only after the heap has grown', async () => {
  const memory = vi.spyOn(process, 'memoryUsage')
  onTestFinished(() => memory.mockRestore())
  const setHeap = (mb: number) =>
    memory.mockReturnValue({ rss: 0, heapTotal: mb * 2 ** 20, heapUsed: 0, external: 0, arrayBuffers: 0 })
  setHeap(40)
  const collect = vi.fn(() => setHeap(20))
  const stop = releaseMemoryWhenIdle(10, collect)
  onTestFinished(stop)
  await vi.waitFor(() => expect(collect).toHaveBeenCalledTimes(1), 10_000)
  setHeap(27)
  const checked = memory.mock.calls.length
  await vi.waitFor(() => expect(memory.mock.calls.length).toBeGreaterThan(checked + 2), 10_000)
  expect(collect).toHaveBeenCalledTimes(1)
  setHeap(60)
  await vi.waitFor(() => expect(collect).toHaveBeenCalledTimes(2), 10_000)
})

test('V8 offers the collection, and its flags stay those of the start', () => {
  const collect = exposeCollection()
  expect(collect).not.toBeNull()
  expect(() => collect?.({ type: 'major', flavor: 'last-resort' })).not.toThrow()
  // Else threads start slowly, without the code that was compiled when Node was built.
  expect(runInNewContext('typeof gc')).toBe('undefined')
})
