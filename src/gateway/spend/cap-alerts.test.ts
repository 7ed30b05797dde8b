import { describe, expect, it, onTestFinished } from 'vitest'
import { type CapAlert, LiveEvent } from '../../shared/api/events.ts'
import { nanoUsd } from '../../shared/money/money.ts'
import { startTestGateway, type TestGateway } from '../testing/gateway.ts'
import { billing, startTestUpstream } from '../upstream/testing/test-upstream.ts'
import { crossedThreshold } from './cap-alerts.ts'

let tollgate: TestGateway

/** Collects the alerts from now on. */
function listen(): CapAlert[] {
  const alerts: CapAlert[] = []
  tollgate.gateway.subscribe((event) => {
    const parsed = LiveEvent.parse(event)
    if (parsed.type === 'cap-alert') alerts.push(parsed.alert)
  })
  return alerts
}

/** Starts a gateway and a key whose cap is the cost of `calls` calls to a vendor. `call` makes calls with it; all cost the same. */
async function start(calls: number, options: Parameters<typeof startTestGateway>[0] = {}) {
  tollgate = await startTestGateway(options)
  onTestFinished(() => tollgate.close())
  const upstream = await startTestUpstream(billing(20, 40))
  onTestFinished(() => upstream.close())
  await tollgate.addProvider('mine', upstream.url, ['m'])
  const price: number = (await ask()).json.usage.cost
  const usd = (count: number) => Math.round(count * price * 1e9) / 1e9
  const { id, secret } = await tollgate.createKey({
    name: 'Editor',
    scope: 'full',
    spendLimitUsd: usd(calls),
  })
  const call = async (count: number) => {
    for (let n = 0; n < count; n++) {
      expect((await ask(secret)).status).toBe(200)
    }
  }
  const setCap = (count: number) =>
    tollgate.call('PATCH', `/v1/keys/${id}`, { body: { spendLimitUsd: usd(count) } })
  return { id, call, setCap, usd }
}

const ask = (as = tollgate.admin) => tollgate.chat({ model: 'm' }, { as })

const percents = (alerts: readonly CapAlert[]) => alerts.map(({ percent }) => percent)

describe('an alert on a key’s cap', () => {
  it('is published once for each threshold, regardless of reservations', async () => {
    const { id, call, usd } = await start(10)
    const alerts = listen()
    await call(4)
    expect(alerts).toEqual([])
    await call(6)
    const limit = { per: 'lifetime', index: 0 }
    const alert = { keyId: id, name: 'Editor', limitUsd: usd(10), limit }
    expect(alerts).toEqual([
      { ...alert, percent: 50, spentUsd: usd(5) },
      { ...alert, percent: 80, spentUsd: usd(8) },
      { ...alert, percent: 100, spentUsd: usd(10) },
    ])
  })

  it('is published only for the highest threshold when a charge passes several', async () => {
    const { call } = await start(1.2)
    const alerts = listen()
    await call(1)
    expect(percents(alerts)).toEqual([80])
  })

  it('is not published later for a threshold passed without listeners', async () => {
    const { call } = await start(10)
    await call(8)
    const alerts = listen()
    await call(2)
    expect(percents(alerts)).toEqual([100])
  })

  it('is not repeated after a restart', async () => {
    const { call } = await start(10)
    await call(8)
    await tollgate.restart()
    const alerts = listen()
    await call(2)
    expect(percents(alerts)).toEqual([100])
  })

  it('is repeated when a raised cap moves its threshold above the spend', async () => {
    const { call, setCap } = await start(10)
    await call(8)
    await setCap(20)
    const alerts = listen()
    await call(2)
    expect(percents(alerts)).toEqual([50])
  })

  it('is not caused by changing the cap', async () => {
    const { call, setCap } = await start(100)
    const alerts = listen()
    await call(8)
    await setCap(10)
    await setCap(20)
    await setCap(10)
    await call(1)
    expect(alerts).toEqual([])
    await call(1)
    expect(percents(alerts)).toEqual([100])
  })

  it('uses the thresholds of the settings, sorted and each once; without thresholds there are no alerts', async () => {
    const { call } = await start(10)
    const set = (notifyAtPercent: number[]) =>
      tollgate.call('PATCH', '/v1/settings', { body: { notifyAtPercent } })
    expect((await tollgate.call('GET', '/v1/settings')).json.notifyAtPercent).toEqual([50, 80, 100])
    expect((await set([90, 20, 90])).json.notifyAtPercent).toEqual([20, 90])
    const alerts = listen()
    await call(2)
    expect(percents(alerts)).toEqual([20])
    expect((await set([])).json.notifyAtPercent).toEqual([])
    await call(8)
    expect(alerts).toHaveLength(1)
    for (const percent of [0, 101, 12.5]) expect((await set([percent])).status).toBe(400)
  })
})

describe('an alert on the monthly limit', () => {
  it('counts every key, and starts again each month', async () => {
    let now = Date.parse('2026-11-20T12:00:00Z')
    const clock = { now: () => now }
    const { usd } = await start(10, { clock })
    const alerts = listen()
    await tollgate.call('PATCH', '/v1/account', { body: { monthlyLimitUsd: usd(10) } })
    const chat = async (count: number) => {
      for (let n = 0; n < count; n++) await ask()
    }
    await chat(7)
    const limit = { per: 'month', index: 0 }
    const alert = { keyId: null, name: 'All keys', limitUsd: usd(10), limit }
    expect(alerts).toEqual([
      { ...alert, percent: 50, spentUsd: usd(5) },
      { ...alert, percent: 80, spentUsd: usd(8) },
    ])
    now = Date.parse('2026-12-02T12:00:00Z')
    await chat(5)
    expect(percents(alerts)).toEqual([50, 80, 50])
  })
})

describe('the crossed threshold', () => {
  const reached = (before: number, spent: number, limit: number) =>
    crossedThreshold([50, 80, 100], nanoUsd(before), nanoUsd(spent), nanoUsd(limit))

  it('is exact at its amount', () => {
    expect(reached(0, 49, 100)).toBeNull()
    expect(reached(49, 50, 100)).toBe(50)
    expect(reached(50, 79, 100)).toBeNull()
    expect(reached(4_999_999_999, 5_000_000_000, 5_000_000_000)).toBe(100)
  })

  it('is null for a limit of zero', () => {
    expect(reached(0, 5, 0)).toBeNull()
  })
})
