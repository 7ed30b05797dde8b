import { expect } from 'vitest'
import { openLiveEvents } from '../gateway/testing/live-events.ts'
import { says, shareForFile } from './testing/upstream.ts'

const { test, tollgate, upstream } = await shareForFile('Requests and usage')
await upstream.model('billed', says('Hello'))

const key = await tollgate.createKey({ name: 'recorded', scope: 'full' })
const ask = (body: object) =>
  tollgate.chat({ ...body }, { as: key.secret, headers: { 'user-agent': 'contract/1.0' } })
const made = (await ask({})).json.id
await ask({ model: 'sandbox-large', stream: true })
await ask({ model: 'unknown-model' })
await ask({ model: 'billed' })

test('A record has attempts, timings, usage buckets, cost and the source of its price', async () => {
  const { json } = await tollgate.call('GET', `/v1/requests/${made}`)
  expect(json).toMatchObject({
    id: made,
    keyId: key.id,
    keyName: 'recorded',
    requestedModel: 'sandbox-small',
    model: 'sandbox-small',
    provider: 'sandbox',
    stream: false,
    status: 'succeeded',
    httpStatus: 200,
    error: null,
    costStatus: 'exact',
    attempts: [
      { provider: 'sandbox', model: 'sandbox-small', status: 200, ms: expect.any(Number), error: null },
    ],
    timings: { queueMs: expect.any(Number), firstByteMs: expect.any(Number), totalMs: expect.any(Number) },
    usage: { input: expect.any(Number), cacheRead: 0, output: expect.any(Number) },
    price: {
      pricing: { inputPerMillion: 0.5 },
      origin: { source: 'builtin' },
      plan: 'pay-as-you-go',
      discountPercent: 0,
    },
    client: 'contract/1.0',
  })
  expect((await tollgate.call('GET', '/v1/requests/req_none')).status).toBe(404)
})

test('GET /v1/usage groups by day, key, model and provider, and its totals agree', async () => {
  const account = await tollgate.getAccount()
  expect(account.spendUsd).toBeGreaterThan(0)
  for (const groupBy of ['day', 'key', 'model', 'provider']) {
    const { json } = await tollgate.call('GET', `/v1/usage?groupBy=${groupBy}`)
    expect(json.groupBy).toBe(groupBy)
    expect(Math.round(json.total.costUsd * 1e9)).toBe(Math.round(account.spendUsd * 1e9))
    const rows: { costUsd: number; requests: number }[] = json.data
    expect(rows.reduce((sum, row) => sum + Math.round(row.costUsd * 1e9), 0)).toBe(
      Math.round(json.total.costUsd * 1e9),
    )
    expect(rows.reduce((sum, row) => sum + row.requests, 0)).toBe(json.total.requests)
  }
  const byKey = (await tollgate.call('GET', '/v1/usage?groupBy=key')).json.data
  expect(byKey).toContainEqual(expect.objectContaining({ group: key.id, label: 'recorded' }))
})

test('GET /v1/events sends what changes: requests, keys, account', async () => {
  const events = await openLiveEvents(tollgate)
  expect(events.headers.get('content-type')).toMatch(/^text\/event-stream/)
  const { json } = await tollgate.chat({})
  const parts = ['event: request', '"succeeded"', 'event: key', 'event: account']
  const text = await events.readUntil((read) => parts.every((part) => read.includes(part)))
  events.close()
  expect(text).toContain(json.id)
  expect(text).not.toContain('tg-')
})
