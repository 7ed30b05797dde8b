// Rules about time, tested with a fake clock.
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import { HttpClientStream } from '../gateway/http/send-response.ts'
import { ApiKeys } from '../gateway/keys/api-keys.ts'
import { type Clock, systemClock } from '../gateway/platform/clock.ts'
import { EventHub } from '../gateway/platform/events.ts'
import { silentLog } from '../gateway/platform/log.ts'
import { Settings } from '../gateway/settings/settings.ts'
import { AccountService } from '../gateway/spend/account.ts'
import { Budget } from '../gateway/spend/budget.ts'
import { LimitsByOwner } from '../gateway/spend/limit.ts'
import { SpendLimits } from '../gateway/spend/spend-limits.ts'
import { openStore } from '../gateway/store/store.ts'
import { startTestGateway } from '../gateway/testing/gateway.ts'
import { nanoUsd, ZERO_USD } from '../shared/money/money.ts'
import { rule } from './testing/rule.ts'
import { says, startScriptedUpstream } from './testing/upstream.ts'

const HOUR = 60 * 60 * 1000

class TestClock implements Clock {
  #wall: number
  #elapsed = 0
  constructor(start = '2027-03-10T12:00:00Z') {
    this.#wall = Date.parse(start)
  }
  now = () => this.#wall
  monotonic = () => this.#elapsed
  pass(ms: number): void {
    this.#wall += ms
    this.#elapsed += ms
  }
  /** Sets only the wall clock, as a user or NTP may do. */
  set(ms: number): void {
    this.#wall += ms
  }
}

rule('Idempotency', 'An idempotency key is valid for 24 hours', async () => {
  const clock = new TestClock()
  const tollgate = await startTestGateway({ clock })
  const ask = () => tollgate.chat({}, { headers: { 'idempotency-key': 'daily' } })
  const first = await ask()
  clock.pass(24 * HOUR)
  expect((await ask()).text).toBe(first.text)
  clock.pass(1)
  const fresh = await ask()
  expect(fresh.headers.get('idempotency-replayed')).toBeNull()
  expect(fresh.json.id).not.toBe(first.json.id)
  await tollgate.close()
})

rule('Idempotency', 'Setting the wall clock back expires no idempotency key', async () => {
  const clock = new TestClock()
  const tollgate = await startTestGateway({ clock })
  const ask = () => tollgate.chat({}, { headers: { 'idempotency-key': 'back' } })
  const first = await ask()
  clock.set(-48 * HOUR)
  expect((await ask()).text).toBe(first.text)
  await tollgate.close()
})

for (const [what, limits, body] of [
  ['requests', { rpmLimit: 3 }, {}],
  ['tokens', { tpmLimit: 200 }, { messages: [{ role: 'user', content: '[[sandbox:tokens 60]]' }] }],
] as const) {
  rule(
    'Rate limits',
    `429 for ${what}: waiting Retry-After seconds is sufficient, a second less is not`,
    async () => {
      const clock = new TestClock()
      const tollgate = await startTestGateway({ clock })
      const { secret } = await tollgate.createKey({ name: 'limited', scope: 'full', ...limits })
      const ask = () => tollgate.chat(body, { as: secret })
      let answer = await ask()
      for (let turn = 0; turn < 10 && answer.status === 200; turn++) {
        clock.pass(7_000)
        answer = await ask()
      }
      expect(answer.status).toBe(429)
      const seconds = Number(answer.headers.get('retry-after'))
      clock.pass((seconds - 1) * 1000)
      expect((await ask()).status).toBe(429)
      clock.pass(1000)
      expect((await ask()).status).toBe(200)
      await tollgate.close()
    },
  )
}

rule(
  'Rate limits',
  'Rate limits follow the monotonic clock: setting the wall clock changes nothing',
  async () => {
    const clock = new TestClock()
    const tollgate = await startTestGateway({ clock })
    const { secret } = await tollgate.createKey({ name: 'limited', scope: 'full', rpmLimit: 1 })
    expect((await tollgate.chat({}, { as: secret })).status).toBe(200)
    clock.set(2 * HOUR)
    expect((await tollgate.chat({}, { as: secret })).status).toBe(429)
    clock.set(-4 * HOUR)
    clock.pass(60_000)
    expect((await tollgate.chat({}, { as: secret })).status).toBe(200)
    await tollgate.close()
  },
)

rule('Account', 'The month’s spend restarts with the calendar month', async () => {
  const clock = new TestClock('2027-01-31T22:30:00Z')
  const tollgate = await startTestGateway({ clock })
  const upstream = await startScriptedUpstream(tollgate)
  await upstream.model('billed', says('Hello'))
  const ask = () => tollgate.chat({ model: 'billed' })
  await tollgate.call('PATCH', '/v1/settings', { body: { timeZone: 'Europe/Berlin' } })
  await tollgate.call('PATCH', '/v1/account', { body: { monthlyLimitUsd: 0.000001 } })
  expect((await ask()).status).toBe(200)
  const refused = await ask()
  expect([refused.status, refused.json.error.code]).toEqual([402, 'account_limit_reached'])
  expect(refused.json.error.message).toContain('It resets on 1 Feb at 00:00')
  clock.pass(HOUR)
  const { json } = await tollgate.call('GET', '/v1/account')
  expect(json).toMatchObject({
    monthSpendUsd: 0,
    monthStartsAt: '2027-01-31T23:00:00.000Z',
    monthResetsAt: '2027-02-28T23:00:00.000Z',
  })
  expect(json.spendUsd).toBeGreaterThan(0)
  expect((await ask()).status).toBe(200)
  await tollgate.close()
  await upstream.close()
})

rule(
  'Caps',
  'After the wait for reservations: 429 with code spend_reserved, Retry-After and x-should-retry: true',
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-budget-'))
    const store = await openStore({ dataDir, log: silentLog })
    const clock = new TestClock()
    const events = new EventHub()
    const limits = new LimitsByOwner()
    const keys = new ApiKeys({ store, clock, events, limits }, [])
    const settings = new Settings(store, {})
    const account = new AccountService({ store, clock, events, settings, limits }, ZERO_USD)
    const budget = new Budget(new SpendLimits({ account, keys, store, limits }), 40)
    const { id } = await keys.create({ name: 'held', scope: 'full', spendLimitUsd: 0.001 })
    const subject = { key: keys.require(id), models: [], sessionId: null, tag: null }
    const never = new AbortController().signal
    const of = (nano: number) => ({ min: nanoUsd(nano), max: nanoUsd(nano) })
    const held = await budget.reserve(subject, of(2_000_000), never)
    const began = performance.now()
    await expect(budget.reserve(subject, of(1), never)).rejects.toMatchObject({
      status: 429,
      body: { type: 'rate_limit_exceeded', code: 'spend_reserved' },
      headers: { 'x-should-retry': 'true', 'retry-after': expect.stringMatching(/^[1-9]\d*$/) },
    })
    expect(performance.now() - began).toBeGreaterThanOrEqual(39)
    budget.release(held)
    expect((await budget.reserve(subject, of(1), never)).waitedMs).toBe(0)
    await store.close()
    rmSync(dataDir, { recursive: true })
  },
)

rule('Streaming', 'A stream whose upstream is silent gets a comment every 15 s', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const server = createServer((_request, response) => {
    const reply = new HttpClientStream({ response, headers: {} }, false, systemClock)
    reply.begin({}, [])
    vi.advanceTimersByTime(14_999)
    void reply.write('data: 1\n\n', new AbortController().signal)
    vi.advanceTimersByTime(14_999)
    response.write('(nothing so far)\n\n')
    vi.advanceTimersByTime(15_002)
    reply.end('data: [DONE]\n\n', {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const { port } = server.address() as AddressInfo
    const text = await (await fetch(`http://127.0.0.1:${port}/`)).text()
    expect(text).toBe('data: 1\n\n(nothing so far)\n\n: keep-alive\n\n: keep-alive\n\ndata: [DONE]\n\n')
  } finally {
    vi.useRealTimers()
    server.close()
    server.closeAllConnections()
  }
})
