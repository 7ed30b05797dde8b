import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { forEachTest } from '../testing/lifetime.ts'
import { TestCalls } from './testing/test-calls.ts'
import { readText, sendRequest } from './upstream-response.ts'
import { Watchdog } from './watchdog.ts'

const calls = forEachTest(async () => new TestCalls())

function get(url: string) {
  const watchdog = new Watchdog(new AbortController().signal, 10_000)
  calls.onClose(async () => watchdog.dispose())
  const request = { method: 'GET' as const, url, headers: {}, body: null, connectTimeoutMs: 1_000 }
  return sendRequest(request, calls.pool, watchdog)
}

it('one read returns all that has come, and null follows the last', async () => {
  const server = await calls.upstream(({ response }) => {
    response.write('one ')
    response.write('two ')
    response.end('three')
  })
  const response = await get(server.url)
  while (!response.isComplete) await delay(1)
  expect(String(await response.read())).toBe('one two three')
  expect(await response.read()).toBeNull()
})

it('what came before a lost connection can still be read', async () => {
  const server = await calls.upstream(async (exchange) => {
    exchange.begin().raw('part')
    await delay(20)
    exchange.reset()
  })
  const response = await get(server.url)
  await delay(60)
  expect(String(await response.read())).toBe('part')
  await expect(response.read()).rejects.toThrow()
})

it('what came before an abort can still be read', async () => {
  const server = await calls.upstream((exchange) => void exchange.begin().raw('part'))
  const response = await get(server.url)
  await delay(60)
  response.abort(new Error('cut'))
  expect(String(await response.read())).toBe('part')
  await expect(response.read()).rejects.toThrow('cut')
})

it('receives no more than a little ahead of its reader', async () => {
  let isFull = false
  const server = await calls.upstream(async (exchange) => {
    const block = Buffer.alloc(1024 * 1024)
    for (let sent = 0; sent < 32; sent += 1) {
      if (exchange.response.write(block)) continue
      const drained = await Promise.race([once(exchange.response, 'drain'), delay(200, null)])
      if (drained === null) isFull = true
    }
    exchange.end()
  })
  const response = await get(server.url)
  await expect.poll(() => isFull, { timeout: 8_000 }).toBe(true)
  let size = 0
  for (let part = await response.read(); part; part = await response.read()) size += part.byteLength
  expect(size).toBe(32 * 1024 * 1024)
})

it('a drained response frees its connection, though no one reads it', async () => {
  const server = await calls.upstream(async (exchange) => {
    exchange.begin().raw('first')
    await delay(20)
    exchange.raw(Buffer.alloc(200_000)).end()
  })
  const response = await get(server.url)
  await response.read()
  response.drain()
  await expect.poll(() => response.isComplete).toBe(true)
  expect(await response.read()).toBeNull()
})

it('the connection of a body over the limit is closed', async () => {
  let gone: Promise<void> | null = null
  const server = await calls.upstream((exchange) => {
    gone = exchange.disconnected
    exchange.begin().raw('more than ten bytes')
  })
  const watchdog = new Watchdog(new AbortController().signal, 10_000)
  await expect(readText(await get(server.url), 10, watchdog)).rejects.toMatchObject({ kind: 'malformed' })
  watchdog.dispose()
  expect(await Promise.race([gone, delay(2_000, 'open')])).not.toBe('open')
})
