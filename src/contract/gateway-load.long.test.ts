// The load that keys without a right to spend put on the gateway.
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { forFile } from '../gateway/testing/lifetime.ts'
import { startTestUpstream } from '../gateway/upstream/testing/test-upstream.ts'
import { startProgram } from './testing/program.ts'

const tollgate = await forFile(startProgram())
const webhook = await forFile(startTestUpstream((exchange) => exchange.reply(200, {})))
await tollgate.call('PUT', '/v1/webhook', { body: { url: webhook.url } })

const MB = 1024 * 1024
const createKey = (more: object = {}) =>
  tollgate.createKey({ name: 'greedy', scope: 'completions-only', spendLimitUsd: 0, ...more })

const readMemory = (): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${tollgate.pid}/status`, 'utf8'))?.[1]) * 1024
const measureDisk = (): number =>
  readdirSync(tollgate.dataDir)
    .map((name) => statSync(join(tollgate.dataDir, name)).size)
    .reduce((total, size) => total + size, 0)

async function connect(secret: string): Promise<WebSocket> {
  const socket = new WebSocket(`${tollgate.baseUrl.replace('http', 'ws')}/v1/responses`, {
    headers: { authorization: `Bearer ${secret}` },
    // To mask half a gigabyte takes longer than to send it.
    generateMask: (mask) => void mask.fill(0),
  })
  await once(socket, 'open')
  socket.on('error', () => undefined)
  return socket
}

/** Sends so many megabytes of a message without its end, unless the gateway closes the connection before. */
async function sendUnfinished(socket: WebSocket, megabytes: number): Promise<void> {
  const piece = Buffer.alloc(MB, ' ')
  const closed = once(socket, 'close')
  for (let at = 0; at < megabytes && socket.readyState === WebSocket.OPEN; at++) {
    const sent = new Promise<void>((resolve) => socket.send(piece, { fin: false }, () => resolve()))
    await Promise.race([sent, closed])
  }
}

test.skipIf(process.platform !== 'linux')(
  'Messages that 16 WebSockets never finish take a bounded amount of memory',
  async () => {
    const { secret } = await createKey()
    const before = readMemory()
    const sockets = await Promise.all(Array.from({ length: 16 }, () => connect(secret)))
    let most = 0
    const watching = setInterval(() => {
      most = Math.max(most, readMemory())
    }, 50)
    await Promise.all(sockets.map((socket) => sendUnfinished(socket, 31)))
    // The gateway reads on for a moment.
    await delay(2_000)
    clearInterval(watching)
    for (const socket of sockets) socket.terminate()
    expect((most - before) / MB).toBeLessThan(256)
    expect((await tollgate.call('GET', '/healthz')).status).toBe(200)
  },
)

describe('What a key may do in a minute', () => {
  test('is 600 requests outside inference, and those that change nothing store no Idempotency-Key', async () => {
    const { secret } = await createKey({ scope: 'read-only' })
    const before = measureDisk()
    const send = (nth: number) =>
      tollgate.call('POST', '/v1/pricing/estimate', {
        as: secret,
        body: { model: 'sandbox-small', monthlyInputTokens: 1_000, monthlyOutputTokens: 1_000 },
        headers: { 'idempotency-key': `estimate-${nth}` },
      })
    const answers = []
    const startedAt = performance.now()
    for (let from = 0; from < 900; from += 20)
      answers.push(...(await Promise.all(Array.from({ length: 20 }, (_, at) => send(from + at)))))
    const minutes = (performance.now() - startedAt) / 60_000
    const served = answers.filter(({ status }) => status === 200).length
    expect(served).toBeGreaterThanOrEqual(600)
    expect(served).toBeLessThanOrEqual(600 * (1 + minutes) + 1)
    const refused = answers.filter(({ status }) => status !== 200)
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([429]))
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((measureDisk() - before) / MB).toBeLessThan(1)
    const other = await createKey()
    expect((await tollgate.call('GET', '/v1/key', { as: other.secret })).status).toBe(200)
  })

  test('is one alert for a limit that asks, however often it asks ahead and leaves', async () => {
    const { secret } = await createKey({
      ...{ scope: 'full', spendLimitUsd: 5 },
      spendLimits: [{ usd: 1, per: 'day', action: 'ask' }],
    })
    for (let nth = 0; nth < 60; nth++) {
      const client = new AbortController()
      const asked = tollgate
        .call('POST', '/v1/approvals', {
          ...{ as: secret, signal: client.signal },
          body: { usd: 1, reason: `Reason ${nth}` },
        })
        .catch(() => null)
      await delay(50)
      client.abort()
      await asked
    }
    const isAlert = ({ body }: { body: string }) => body.includes('approval-alert')
    await expect.poll(() => webhook.requests.filter(isAlert).length).toBeGreaterThan(0)
    expect(webhook.requests.filter(isAlert).length).toBeLessThanOrEqual(2)
  })
})

test('A key has at most 20 streams of events', async () => {
  const { secret } = await createKey({ scope: 'read-only' })
  const client = new AbortController()
  const open = () =>
    fetch(`${tollgate.baseUrl}/v1/events`, {
      headers: { authorization: `Bearer ${secret}` },
      signal: client.signal,
    })
  const statuses = []
  for (let nth = 0; nth < 21; nth++) statuses.push((await open()).status)
  client.abort()
  expect(statuses).toEqual([...Array.from({ length: 20 }, () => 200), 429])
})
