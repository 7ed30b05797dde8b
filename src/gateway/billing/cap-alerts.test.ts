import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { type CapAlert, LiveEvent } from '../../shared/events.ts'
import { nanoUsd } from '../../shared/money.ts'
import { startTestGateway, type TestGateway } from '../testing/gateway.ts'
import { crossedThreshold } from './cap-alerts.ts'

let tollgate: TestGateway
const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** Collects the alerts from now on. */
function listen(): CapAlert[] {
  const heard: CapAlert[] = []
  tollgate.gateway.subscribe((event) => {
    const parsed = LiveEvent.parse(event)
    if (parsed.type === 'cap-alert') heard.push(parsed.alert)
  })
  return heard
}

async function open(options: Parameters<typeof startTestGateway>[0]): Promise<void> {
  const started = await startTestGateway(options)
  tollgate = started
  closing.push(() => started.close())
}

/** Starts a gateway and a key whose cap is so many calls. `call` makes calls with it; each costs the same. */
async function start(calls: number, options: Parameters<typeof startTestGateway>[0] = {}) {
  await open(options)
  const price: number = (await tollgate.chat({})).json.usage.cost
  const usd = (count: number) => Math.round(count * price * 1e9) / 1e9
  const { id, secret } = await tollgate.createKey({
    name: 'Editor',
    scope: 'full',
    spendLimitUsd: usd(calls),
  })
  const call = async (count: number) => {
    for (let n = 0; n < count; n++) {
      expect((await tollgate.chat({}, { as: secret })).status).toBe(200)
    }
  }
  const recap = (count: number) =>
    tollgate.call('PATCH', `/v1/keys/${id}`, { body: { spendLimitUsd: usd(count) } })
  return { id, call, recap, usd }
}

const percents = (alerts: readonly CapAlert[]) => alerts.map(({ percent }) => percent)

describe('an alert on a key’s cap', () => {
  it('comes once for each share on the way up, whatever running requests have reserved', async () => {
    const { id, call, usd } = await start(10)
    const heard = listen()
    await call(4)
    expect(heard).toEqual([])
    await call(6)
    const alert = { keyId: id, name: 'Editor', limitUsd: usd(10) }
    expect(heard).toEqual([
      { ...alert, percent: 50, spentUsd: usd(5) },
      { ...alert, percent: 80, spentUsd: usd(8) },
      { ...alert, percent: 100, spentUsd: usd(10) },
    ])
  })

  it('is one, for the highest share, when a charge passes several', async () => {
    const { call } = await start(1.2)
    const heard = listen()
    await call(1)
    expect(percents(heard)).toEqual([80])
  })

  it('is not owed for what was passed while nobody listened', async () => {
    const { call } = await start(10)
    await call(8)
    const heard = listen()
    await call(2)
    expect(percents(heard)).toEqual([100])
  })

  it('is not repeated after a restart', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-alerts-'))
    closing.push(async () => rmSync(dataDir, { recursive: true }))
    const { call } = await start(10, { dataDir })
    await call(8)
    const { admin } = tollgate
    await Promise.all(closing.splice(1).map((close) => close()))
    await open({ dataDir, admin })
    const heard = listen()
    await call(2)
    expect(percents(heard)).toEqual([100])
  })

  it('comes again once a raised cap has put its share ahead', async () => {
    const { call, recap } = await start(10)
    await call(8)
    await recap(20)
    const heard = listen()
    await call(2)
    expect(percents(heard)).toEqual([50])
  })

  it('is not made by lowering the cap below a share, nor by raising it and back', async () => {
    const { call, recap } = await start(100)
    const heard = listen()
    await call(8)
    await recap(10)
    await recap(20)
    await recap(10)
    await call(1)
    expect(heard).toEqual([])
    await call(1)
    expect(percents(heard)).toEqual([100])
  })

  it('comes at the shares of the settings, kept in order and once each; none of them means none', async () => {
    const { call } = await start(10)
    const set = (notifyAtPercent: number[]) =>
      tollgate.call('PATCH', '/v1/settings', { body: { notifyAtPercent } })
    expect((await tollgate.call('GET', '/v1/settings')).json.notifyAtPercent).toEqual([50, 80, 100])
    expect((await set([90, 20, 90])).json.notifyAtPercent).toEqual([20, 90])
    const heard = listen()
    await call(2)
    expect(percents(heard)).toEqual([20])
    expect((await set([])).json.notifyAtPercent).toEqual([])
    await call(8)
    expect(heard).toHaveLength(1)
    for (const share of [0, 101, 12.5]) expect((await set([share])).status).toBe(400)
  })
})

describe('an alert on the monthly limit', () => {
  it('counts every key, and begins anew with the month', async () => {
    let now = Date.parse('2026-11-20T12:00:00Z')
    const clock = { now: () => now, monotonic: () => performance.now() }
    const { usd } = await start(10, { clock })
    const heard = listen()
    await tollgate.call('PATCH', '/v1/account', { body: { monthlyLimitUsd: usd(10) } })
    const chat = async (count: number) => {
      for (let n = 0; n < count; n++) await tollgate.chat({})
    }
    await chat(7)
    expect(heard).toEqual([
      { keyId: null, name: 'Monthly limit', percent: 50, spentUsd: usd(5), limitUsd: usd(10) },
      { keyId: null, name: 'Monthly limit', percent: 80, spentUsd: usd(8), limitUsd: usd(10) },
    ])
    now = Date.parse('2026-12-02T12:00:00Z')
    await chat(5)
    expect(percents(heard)).toEqual([50, 80, 50])
  })
})

describe('the share reached', () => {
  const reached = (before: number, spent: number, limit: number) =>
    crossedThreshold([50, 80, 100], nanoUsd(before), nanoUsd(spent), nanoUsd(limit))

  it('is exact at its mark', () => {
    expect(reached(0, 49, 100)).toBeNull()
    expect(reached(49, 50, 100)).toBe(50)
    expect(reached(50, 79, 100)).toBeNull()
    expect(reached(4_999_999_999, 5_000_000_000, 5_000_000_000)).toBe(100)
  })

  it('is none of a limit of zero', () => {
    expect(reached(0, 5, 0)).toBeNull()
  })
})
