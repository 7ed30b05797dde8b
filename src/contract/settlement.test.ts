import { afterAll, expect, vi } from 'vitest'
import type { RequestRecord } from '../shared/api/requests.ts'
import { startProgram } from './testing/program.ts'
import { rule } from './testing/rule.ts'
import { neverResponds, startScriptedUpstream } from './testing/upstream.ts'

let tollgate = await startProgram()
const upstream = await startScriptedUpstream(tollgate)
// The plan's rate limits are not what is tested here.
await tollgate.call('PATCH', '/v1/settings', {
  body: { planLimits: { 'pay-as-you-go': { requestsPerMinute: 100_000, tokensPerMinute: 1_000_000_000 } } },
})
afterAll(async () => {
  await tollgate.close()
  await upstream.close()
})

const nano = (usd: number | null) => Math.round((usd ?? Number.NaN) * 1e9)
const getKey = async (id: string) => (await tollgate.call('GET', `/v1/keys/${id}`)).json
const getRecord = async (id: string): Promise<RequestRecord> =>
  (await tollgate.call('GET', `/v1/requests/${id}`)).json
const latest = async () => {
  const [record] = (await tollgate.call('GET', '/v1/requests?limit=1')).json.data
  return record
}

rule(
  'Charges',
  'Requests in flight at a crash are charged by estimate and unsettled with bounds',
  async () => {
    const quiet = neverResponds()
    await upstream.model('crashes', quiet.handler)
    const key = await tollgate.createKey({ name: 'crash', scope: 'full', spendLimitUsd: 1 })
    const call = tollgate.chat({ model: 'crashes', max_tokens: 100 }, { as: key.secret }).catch(() => null)
    await quiet.received
    await vi.waitFor(async () => expect((await latest()).status).toBe('running'), 5_000)
    await tollgate.kill()
    await call
    tollgate = await startProgram(tollgate)
    const record = await latest()
    expect(record).toMatchObject({ keyId: key.id, status: 'failed', costStatus: 'unsettled', costLowUsd: 0 })
    expect(record.costUsd).toBeGreaterThan(0)
    expect(record.costHighUsd).toBeGreaterThanOrEqual((100 * 2) / 1e6)
    expect(await getKey(key.id)).toMatchObject({ spendUsd: record.costUsd, reservedUsd: record.heldUsd })
  },
)

rule(
  'Charges',
  'With durability strict, a crash loses no request that an upstream has received',
  async () => {
    const settings = await tollgate.call('PATCH', '/v1/settings', { body: { durability: 'strict' } })
    expect(settings.json.durability).toBe('strict')
    await upstream.follow(tollgate)
    const quiet = neverResponds()
    await upstream.model('strict', quiet.handler)
    const call = tollgate.chat({ model: 'strict' }).catch(() => null)
    await quiet.received
    await tollgate.kill()
    await call
    tollgate = await startProgram(tollgate)
    expect(await latest()).toMatchObject({ requestedModel: 'strict', costStatus: 'unsettled' })
    await tollgate.call('PATCH', '/v1/settings', { body: { durability: 'standard' } })
  },
)

rule(
  'Charges',
  'The user can settle an unsettled charge once, within its bounds; every total changes with it',
  async () => {
    const record: RequestRecord = (await tollgate.call('GET', '/v1/requests?costStatus=unsettled&limit=1'))
      .json.data[0]
    const settle = (costUsd: number) =>
      tollgate.call('POST', `/v1/requests/${record.id}/settle`, { body: { costUsd } })
    const spent = async () => ({
      key: nano((await getKey(record.keyId)).spendUsd),
      account: nano((await tollgate.call('GET', '/v1/account')).json.spendUsd),
      month: nano((await tollgate.call('GET', '/v1/account')).json.monthSpendUsd),
      usage: nano((await tollgate.call('GET', '/v1/usage?groupBy=provider')).json.total.costUsd),
    })
    const before = await spent()
    const refused = await settle((record.costHighUsd ?? 0) + 1e-9)
    expect([refused.status, refused.json.error.param]).toEqual([400, 'costUsd'])
    expect(refused.json.error.message).toContain(String(record.costHighUsd))
    expect((await settle(0.000_017)).json).toMatchObject({ costUsd: 0.000_017, costStatus: 'confirmed' })
    const again = await settle(0.000_017)
    expect([again.status, again.json.error.code]).toEqual([400, 'not_unsettled'])
    const difference = 17_000 - nano(record.costUsd)
    expect(await spent()).toEqual({
      key: before.key + difference,
      account: before.account + difference,
      month: before.month + difference,
      usage: before.usage + difference,
    })
    await tollgate.terminate()
    tollgate = await startProgram(tollgate)
    expect(nano((await getKey(record.keyId)).spendUsd)).toBe(17_000)
    expect(await getRecord(record.id)).toMatchObject({
      costUsd: 0.000_017,
      costLowUsd: null,
      costHighUsd: null,
    })
  },
)

rule(
  'Charges',
  'What a provider may still bill stays reserved until the charge is settled or the amount released',
  async () => {
    await upstream.follow(tollgate)
    const quiet = neverResponds()
    await upstream.model('left', quiet.handler)
    const key = await tollgate.createKey({ name: 'left', scope: 'full', spendLimitUsd: 1 })
    const leave = async () => {
      const client = new AbortController()
      const call = tollgate
        .chat({ model: 'left', max_tokens: 50_000 }, { as: key.secret, signal: client.signal })
        .catch(() => null)
      await vi.waitFor(async () => expect((await latest()).status).toBe('running'), 5_000)
      client.abort()
      await call
      await vi.waitFor(async () => expect((await latest()).costStatus).toBe('unsettled'), 5_000)
      return latest()
    }
    const release = (id: string) => tollgate.call('POST', `/v1/requests/${id}/release`)

    const first = await leave()
    expect(first.heldUsd).toBeGreaterThan(0)
    expect(Date.parse(first.heldUntil) - Date.now()).toBeGreaterThan(3_500_000)
    const second = await leave()
    expect(nano((await getKey(key.id)).reservedUsd)).toBe(nano(first.heldUsd) + nano(second.heldUsd))

    const released = await release(first.id)
    expect(released.status).toBe(200)
    expect(released.json).toMatchObject({ costStatus: 'unsettled', heldUsd: null, heldUntil: null })
    expect(await getRecord(first.id)).toEqual(released.json)
    await tollgate.call('POST', `/v1/requests/${second.id}/settle`, { body: { costUsd: second.costUsd } })
    expect(await getRecord(second.id)).toMatchObject({ heldUsd: null, heldUntil: null })
    expect((await getKey(key.id)).reservedUsd).toBe(0)

    const again = await release(first.id)
    expect([again.status, again.json.error.code]).toEqual([400, 'not_held'])
    expect((await release('req_none')).status).toBe(404)
  },
)
