import { expect, it, onTestFinished } from 'vitest'
import { type TimedExchange, TimedPool } from './testing/timed-pool.ts'
import { readText, sendRequest, type UpstreamResponse } from './upstream-response.ts'
import { Watchdog } from './watchdog.ts'

const MEGA = 1024 * 1024

interface Received {
  response: UpstreamResponse
  exchange: TimedExchange
  watchdog: Watchdog
}

/** The response to a request, of which the status and headers have come. */
async function receive(): Promise<Received> {
  const begun = Promise.withResolvers<TimedExchange>()
  const pool = new TimedPool((exchange) => begun.resolve(exchange.begin()))
  const watchdog = new Watchdog(new AbortController().signal, 10_000, Infinity, pool.clock)
  onTestFinished(() => watchdog.dispose())
  const request = { method: 'POST' as const, url: 'http://vendor.test', headers: {}, body: null }
  const response = await sendRequest({ ...request, connectTimeoutMs: 1_000 }, pool, watchdog)
  return { response, exchange: await begun.promise, watchdog }
}

it('one read returns all that has come, and null follows the last', async () => {
  const { response, exchange } = await receive()
  exchange.raw('one ').raw('two ').raw('three').end()
  expect(response.isComplete).toBe(true)
  expect(String(await response.read())).toBe('one two three')
  expect(await response.read()).toBeNull()
})

it('what came before a lost connection can still be read', async () => {
  const { response, exchange } = await receive()
  exchange.raw('part').fail(new Error('reset'))
  expect(String(await response.read())).toBe('part')
  await expect(response.read()).rejects.toThrow('reset')
})

it('what came before an abort can still be read', async () => {
  const { response, exchange } = await receive()
  exchange.raw('part')
  response.abort(new Error('cut'))
  expect(exchange.aborted).toBe(true)
  expect(String(await response.read())).toBe('part')
  await expect(response.read()).rejects.toThrow('cut')
})

it('receives no more than a little ahead of its reader', async () => {
  const { response, exchange } = await receive()
  const block = 'x'.repeat(MEGA / 4)
  let sent = 0
  for (; !exchange.paused; sent += block.length) exchange.raw(block)
  expect(sent).toBeLessThan(4 * MEGA)
  expect((await response.read())?.byteLength).toBe(sent)
  expect(exchange.paused).toBe(false)
})

it('a drained response receives its end, though no one reads it', async () => {
  const { response, exchange } = await receive()
  exchange.raw('first')
  await response.read()
  response.drain()
  exchange.raw('x'.repeat(200_000)).end()
  expect([response.isComplete, exchange.aborted]).toEqual([true, false])
  expect(await response.read()).toBeNull()
})

it('the connection of a body over the limit is closed', async () => {
  const { response, exchange, watchdog } = await receive()
  exchange.raw('more than ten bytes')
  await expect(readText(response, 10, watchdog)).rejects.toMatchObject({ kind: 'malformed' })
  expect(exchange.aborted).toBe(true)
})
