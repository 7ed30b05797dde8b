// Limits and ends of keys over HTTP while the clock is set back and forth, and at the end of a period.
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { startTestGateway, type TestGateway } from '../testing/gateway.ts'
import { SkippableClock } from '../testing/short-waits.ts'
import { billing, startTestUpstream } from '../upstream/testing/test-upstream.ts'

const DAY = 86_400_000
const NOON = Date.parse('2026-11-22T12:00:00Z')

let wall = NOON
const clock = new SkippableClock(() => wall)
let tollgate: TestGateway

async function start(): Promise<void> {
  wall = NOON
  tollgate = await startTestGateway({ clock })
  await tollgate.call('PATCH', '/v1/settings', { body: { timeZone: 'UTC' } })
}
afterEach(() => tollgate.close())

const ask = async (secret: string) => (await tollgate.chat({}, { as: secret })).status
/** The limit that one call needs. */
async function priceOfHalf(): Promise<number> {
  const { json } = await tollgate.chat({})
  return Math.round((json.usage.cost / 2) * 1e9) / 1e9
}

it.each(['day', 'week', 'month'])(
  'a cap per %s is not opened again by a clock that is set back',
  async (per) => {
    await start()
    const usd = await priceOfHalf()
    const { secret } = await tollgate.createKey({ name: 'a', scope: 'full', spendLimits: [{ usd, per }] })
    expect([await ask(secret), await ask(secret)]).toEqual([200, 402])
    for (const days of [1, 8, 30]) {
      wall = NOON - days * DAY
      expect(await ask(secret)).toBe(402)
      await tollgate.restart()
      expect(await ask(secret)).toBe(402)
      wall = NOON
      expect(await ask(secret)).toBe(402)
    }
    // A clock that was far ahead must not close limits for years.
    wall = NOON - 100 * DAY
    await tollgate.restart()
    expect(await ask(secret)).toBe(200)
  },
)

it('the monthly limit is not opened again by a clock that is set back to the month before', async () => {
  await start()
  // $0.002 a call, of a provider that bills: the account's limit does not count what the sandbox costs.
  const upstream = await startTestUpstream(billing(1_000, 500))
  onTestFinished(() => upstream.close())
  await tollgate.addProvider('mine', upstream.url, ['m'])
  const ask = async () => (await tollgate.chat({ model: 'm', max_tokens: 500 })).status
  await tollgate.call('PATCH', '/v1/account', { body: { monthlyLimitUsd: 0.002 } })
  expect([await ask(), await ask()]).toEqual([200, 402])
  wall = Date.parse('2026-10-31T12:00:00Z')
  await vi.waitFor(async () => {
    const { json } = await tollgate.call('GET', '/v1/account')
    expect(json).toMatchObject({ monthStartsAt: '2026-10-01T00:00:00.000Z' })
  })
  expect(await ask()).toBe(402)
})

it('a key that was seen to have expired stays expired when the clock is set back, until it gets another end', async () => {
  await start()
  const expiresAt = new Date(NOON + DAY).toISOString()
  const { id, secret } = await tollgate.createKey({ name: 'a', scope: 'full', expiresAt })
  expect(await ask(secret)).toBe(200)
  wall = NOON + 2 * DAY
  expect(await ask(secret)).toBe(401)
  wall = NOON
  expect(await ask(secret)).toBe(401)
  await tollgate.restart()
  const { status, json } = await tollgate.chat({}, { as: secret })
  expect([status, json.error.code]).toEqual([401, 'key_expired'])
  const later = { expiresAt: new Date(NOON + 3 * DAY).toISOString() }
  await tollgate.call('PATCH', `/v1/keys/${id}`, { body: later })
  expect(await ask(secret)).toBe(200)
  // An unused key, too: what was over at a start is noted.
  wall = NOON + 4 * DAY
  await tollgate.restart()
  wall = NOON
  expect(await ask(secret)).toBe(401)
})

it('a request that waits for a limit goes on as soon as the period ends', async () => {
  await start()
  const usd = await priceOfHalf()
  const { id, secret } = await tollgate.createKey({
    name: 'a',
    scope: 'full',
    spendLimits: [{ usd, per: 'day' }],
  })
  const midnight = Date.parse('2026-11-23T00:00:00Z')
  wall = midnight - 2_000
  const messages = [{ role: 'user', content: '[[sandbox:slow 20000]]' }]
  const controller = new AbortController()
  // It has reserved all that the limit leaves, and does not end before the test does.
  const first = tollgate.chat({ messages }, { as: secret, signal: controller.signal })
  await vi.waitFor(async () => {
    const { json } = await tollgate.call('GET', `/v1/keys/${id}`)
    expect(json.reservedUsd).toBeGreaterThan(0)
  })
  const setTimeout = vi.spyOn(clock.timers, 'setTimeout')
  const second = ask(secret)
  await vi.waitFor(() => expect(setTimeout).toHaveBeenCalledWith(expect.any(Function), 2_000))
  setTimeout.mockRestore()
  wall = midnight
  clock.skip(2_000)
  expect(await second).toBe(200)
  const [record] = await tollgate.records()
  expect(Date.parse(record?.createdAt ?? '')).toBeGreaterThanOrEqual(midnight)
  expect(await ask(secret)).toBe(402)
  controller.abort()
  await expect(first).rejects.toThrow()
})
