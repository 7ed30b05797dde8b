// Rules about time, tested with a fake clock.
import { createServer } from 'node:http'
import { expect, vi } from 'vitest'
import { HttpClientStream } from '../gateway/http/send-response.ts'
import { type Clock, systemClock } from '../gateway/platform/clock.ts'
import { startTestGateway } from '../gateway/testing/gateway.ts'
import { forTest } from '../gateway/testing/lifetime.ts'
import { listen } from '../gateway/testing/listen.ts'
import { rule, testSection } from './testing/rule.ts'
import { says, startScriptedUpstream } from './testing/upstream.ts'

const test = testSection('Idempotency')

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

test('An idempotency key is valid for 24 hours', async () => {
  const clock = new TestClock()
  const tollgate = await forTest(startTestGateway({ clock }))
  const ask = () => tollgate.chat({}, { headers: { 'idempotency-key': 'daily' } })
  const first = await ask()
  clock.pass(24 * HOUR)
  expect((await ask()).text).toBe(first.text)
  clock.pass(1)
  const fresh = await ask()
  expect(fresh.headers.get('idempotency-replayed')).toBeNull()
  expect(fresh.json.id).not.toBe(first.json.id)
})

test('Setting the wall clock back expires no idempotency key', async () => {
  const clock = new TestClock()
  const tollgate = await forTest(startTestGateway({ clock }))
  const ask = () => tollgate.chat({}, { headers: { 'idempotency-key': 'back' } })
  const first = await ask()
  clock.set(-48 * HOUR)
  expect((await ask()).text).toBe(first.text)
})

rule('Account', 'The month’s spend restarts with the calendar month', async () => {
  const clock = new TestClock('2027-01-31T22:30:00Z')
  const tollgate = await forTest(startTestGateway({ clock }))
  const upstream = await forTest(startScriptedUpstream(tollgate))
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
})

rule('Streaming', 'A stream whose upstream is silent gets a comment every 15 s', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const server = createServer((_request, response) => {
    const reply = new HttpClientStream({ response, headers: {} }, systemClock)
    reply.begin({}, [])
    vi.advanceTimersByTime(14_999)
    void reply.write('data: 1\n\n', new AbortController().signal)
    vi.advanceTimersByTime(14_999)
    response.write('(nothing so far)\n\n')
    vi.advanceTimersByTime(15_002)
    reply.end('data: [DONE]\n\n', {})
  })
  const port = await listen(server)
  try {
    const text = await (await fetch(`http://127.0.0.1:${port}/`)).text()
    expect(text).toBe('data: 1\n\n(nothing so far)\n\n: keep-alive\n\n: keep-alive\n\ndata: [DONE]\n\n')
  } finally {
    vi.useRealTimers()
    server.close()
    server.closeAllConnections()
  }
})
