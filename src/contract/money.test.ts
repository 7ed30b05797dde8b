import { expect, vi } from 'vitest'
import { nano, sum } from '../gateway/testing/money.ts'
import { testChunk } from '../gateway/upstream/testing/test-upstream.ts'
import type { RequestRecord } from '../shared/api/requests.ts'
import { testSection } from './testing/rule.ts'
import { fails, says, startForFile } from './testing/upstream.ts'

const test = testSection('Charges')

const { tollgate, upstream } = await startForFile({ rateLimits: false })

test('spendUsd equals the sum of the ledger exactly', async () => {
  const key = await tollgate.createKey({ name: 'exact', scope: 'full' })
  const pricing = { inputPerMillion: 0.3, outputPerMillion: 0.7 }
  await upstream.model('small', says('few words'), { pricing })
  await upstream.model('large', says('few words'))
  const bodies = Array.from({ length: 24 }, (_, at) => ({
    model: at % 3 === 0 ? 'large' : 'small',
    stream: at % 2 === 0,
  }))
  await Promise.all(bodies.map((body) => tollgate.chat(body, { as: key.secret })))
  const { json } = await tollgate.call('GET', `/v1/requests?key=${key.id}&limit=500`)
  expect(json.data).toHaveLength(24)
  const ledger = sum(json.data.map((record: RequestRecord) => nano(record.costUsd)))
  expect(nano((await tollgate.getKey(key.id)).spendUsd)).toBe(ledger)
  const usage = (await tollgate.call('GET', '/v1/usage?groupBy=key')).json.data
  expect(nano(usage.find(({ group }: { group: string }) => group === key.id).costUsd)).toBe(ledger)
})

test('An aborted stream is charged for what was consumed', async () => {
  let disconnected: Promise<void> | undefined
  await upstream.model('long', (exchange) => {
    disconnected = exchange.disconnected
    exchange.begin().data(testChunk({ content: 'some words that were already produced and sent' }))
  })
  const key = await tollgate.createKey({ name: 'disconnects', scope: 'full' })
  const left = new AbortController()
  const response = await tollgate.openStream({ model: 'long' }, { as: key.secret, signal: left.signal })
  const id = response.headers.get('x-service-request-id') ?? ''
  await response.body?.getReader().read()
  left.abort()
  await disconnected
  await expect.poll(async () => (await tollgate.getRecord(id)).status).toBe('canceled')
  const record = await tollgate.getRecord(id)
  expect(record).toMatchObject({ costStatus: 'estimated', tokensOut: 12 })
  expect(await tollgate.getKey(key.id)).toMatchObject({ spendUsd: record.costUsd, reservedUsd: 0 })
})

test('A failure that was not billed upstream costs nothing, after any number of attempts', async () => {
  await upstream.model('broken', fails(503))
  const answer = await tollgate.chat({ model: 'broken' })
  const record = await tollgate.getRecord(answer.headers.get('x-service-request-id') ?? '')
  expect(record).toMatchObject({ costUsd: 0, costStatus: 'free', status: 'failed' })
  expect(record.attempts).toHaveLength(3)
})

test('A request is charged at most once, after any number of attempts', async () => {
  await upstream.model('third-time', (exchange, nth) =>
    nth < 3 ? fails(500)(exchange, nth) : says('ok')(exchange, nth),
  )
  const key = await tollgate.createKey({ name: 'tried', scope: 'full' })
  const { json } = await tollgate.chat({ model: 'third-time' }, { as: key.secret })
  expect(nano((await tollgate.getKey(key.id)).spendUsd)).toBe(nano((5 * 1 + 3 * 2) / 1e6))
  expect(nano(json.usage.cost)).toBe(nano((5 * 1 + 3 * 2) / 1e6))
})

const latest = async () => {
  const [record] = (await tollgate.call('GET', '/v1/requests?limit=1')).json.data
  return record
}

test('What a provider may still bill stays reserved until the charge is settled or the amount released', async () => {
  const key = await tollgate.createKey({ name: 'left', scope: 'full', spendLimitUsd: 1 })
  const leave = async () => {
    const call = await upstream.startUnanswered('left', { max_tokens: 50_000 }, { as: key.secret })
    await vi.waitFor(async () => expect((await latest()).status).toBe('running'))
    await call.leave()
    await vi.waitFor(async () => expect((await latest()).costStatus).toBe('unsettled'))
    return latest()
  }
  const release = (id: string) => tollgate.call('POST', `/v1/requests/${id}/release`)

  const first = await leave()
  expect(first.heldUsd).toBeGreaterThan(0)
  expect(Date.parse(first.heldUntil) - Date.now()).toBeGreaterThan(3_500_000)
  const second = await leave()
  expect(nano((await tollgate.getKey(key.id)).reservedUsd)).toBe(nano(first.heldUsd) + nano(second.heldUsd))

  const released = await release(first.id)
  expect(released.status).toBe(200)
  expect(released.json).toMatchObject({ costStatus: 'unsettled', heldUsd: null, heldUntil: null })
  expect(await tollgate.getRecord(first.id)).toEqual(released.json)
  await tollgate.call('POST', `/v1/requests/${second.id}/settle`, { body: { costUsd: second.costUsd } })
  expect(await tollgate.getRecord(second.id)).toMatchObject({ heldUsd: null, heldUntil: null })
  expect((await tollgate.getKey(key.id)).reservedUsd).toBe(0)

  const again = await release(first.id)
  expect([again.status, again.json.error.code]).toEqual([400, 'not_held'])
  expect((await release('req_none')).status).toBe(404)
})
