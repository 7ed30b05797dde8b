// The runaway guard, as clients and the user see it. What it notices is tested in `key-watch.test.ts`.
import { beforeEach, expect, test, vi } from 'vitest'
import type { Clock } from '../../../gateway/platform/clock.ts'
import { startTestGateway } from '../../../gateway/testing/gateway.ts'
import { forEachTest } from '../../../gateway/testing/lifetime.ts'
import { billing, startTestUpstream } from '../../../gateway/upstream/testing/test-upstream.ts'
import type { GuardAlert } from '../../../shared/api/account.ts'

/** One request costs $1. */
const pricing = { inputPerMillion: 0, outputPerMillion: 0, perThousandRequests: 1000 }

let now = 0
const clock: Clock = { now: () => 1_800_000_000_000 + now, monotonic: () => now }
let alerts: GuardAlert[]

beforeEach(() => {
  now = 1_000_000
})
const tollgate = forEachTest(() => startTestGateway({ clock }))
const upstream = forEachTest(() => startTestUpstream(billing(10, 1)))
beforeEach(async () => {
  await tollgate.addProvider('mine', upstream.url, [])
  await tollgate.call('PUT', '/v1/models/m', { body: { provider: 'mine', pricing } })
  alerts = []
  tollgate.gateway.subscribe(
    (event) => event.type === 'guard-alert' && alerts.push(event.alert),
    ['guard-alert'],
  )
})

const ask = (secret: string, content: string) =>
  tollgate.chat({ model: 'm', messages: [{ role: 'user', content }] }, { as: secret })

/** The number of requests that were served before one was refused; `limit` if none was. */
async function serve(secret: string, limit: number, everyMs: number, prompt: (at: number) => string) {
  for (let at = 0; at < limit; at++) {
    const { status } = await ask(secret, prompt(at))
    if (status !== 200) return at
    now += everyMs
  }
  return limit
}

test('a prompt that is sent again and again pauses its key, which the user can resume', async () => {
  const key = await tollgate.createKey({ name: 'loop', scope: 'full' })
  expect(await serve(key.secret, 60, 60_000, () => 'Fix it.')).toBe(30)
  const reason = 'It sent the same prompt 30 times, which cost $30.00.'
  const refused = await ask(key.secret, 'Another one')
  expect(refused.json.error).toMatchObject({ code: 'key_paused', message: expect.stringContaining(reason) })
  expect(alerts).toEqual([
    { keyId: key.id, name: 'loop', cause: 'repeats', reason, requests: 30, costUsd: 30 },
  ])
  const { json } = await tollgate.call('POST', `/v1/keys/${key.id}/resume`)
  expect(json.pausedAt).toBeNull()
  expect(await serve(key.secret, 31, 60_000, () => 'Fix it.')).toBe(31)
})

test('a new key that spends $16 within two minutes is paused after it, and no other one', async () => {
  const key = await tollgate.createKey({ name: 'fast', scope: 'full' })
  const other = await tollgate.createKey({ name: 'calm', scope: 'full' })
  expect(await serve(key.secret, 60, 2_000, (at) => `Step ${at}`)).toBe(20)
  expect(alerts[0]).toMatchObject({ cause: 'spend', costUsd: 20 })
  expect((await ask(other.secret, 'Hello')).status).toBe(200)
})

test.each([
  ['allow-repeats', 60_000, () => 'The same'],
  ['off', 1_000, (at: number) => `Step ${at}`],
])('a key with the guard at %s goes on', async (guard, everyMs, prompt) => {
  const key = await tollgate.createKey({ name: 'benchmark', scope: 'full', guard })
  expect((await tollgate.getKey(key.id)).guard).toBe(guard)
  expect(await serve(key.secret, 35, everyMs, prompt)).toBe(35)
})

test('the guard can be switched off', async () => {
  const body = { guard: { enabled: false, sensitivity: 'high' } }
  expect((await tollgate.call('PATCH', '/v1/settings', { body })).json.guard).toEqual(body.guard)
  const key = await tollgate.createKey({ name: 'free', scope: 'full' })
  expect(await serve(key.secret, 35, 1_000, () => 'The same')).toBe(35)
  expect(alerts).toEqual([])
})

test('requests that go on at a cap pause the key, at a high sensitivity after 100', async () => {
  const guard = { enabled: true, sensitivity: 'high' }
  await tollgate.call('PATCH', '/v1/settings', { body: { guard } })
  const key = await tollgate.createKey({ name: 'stubborn', scope: 'full', spendLimitUsd: 0 })
  let refused = 0
  while ((await ask(key.secret, 'More')).status === 402) refused += 1
  expect(refused).toBe(100)
  expect(alerts[0]).toMatchObject({ cause: 'refusals', requests: 100 })
  await vi.waitFor(async () => {
    const { json } = await tollgate.call('GET', `/v1/keys/${key.id}`)
    expect(json.pauseReason).toContain('its cap, or another limit of its spend, is used up')
  })
})
