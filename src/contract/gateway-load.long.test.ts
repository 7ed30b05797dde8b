// The load that keys without a right to spend put on the gateway.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { forFile } from '../gateway/testing/lifetime.ts'
import { startTestUpstream } from '../gateway/upstream/testing/test-upstream.ts'
import { startProgram } from './testing/program.ts'

const tollgate = await forFile(startProgram())
const webhook = await forFile(startTestUpstream((exchange) => exchange.reply(200, {})))
await tollgate.call('PUT', '/v1/webhook', { body: { url: webhook.url } })

const MB = 1024 * 1024
const createKey = (more: object = {}) =>
  tollgate.createKey({ name: 'greedy', scope: 'completions-only', spendLimitUsd: 0, ...more })

const measureDisk = (): number =>
  readdirSync(tollgate.dataDir)
    .map((name) => statSync(join(tollgate.dataDir, name)).size)
    .reduce((total, size) => total + size, 0)

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
