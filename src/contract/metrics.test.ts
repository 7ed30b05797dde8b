import { expect, vi } from 'vitest'
import { parsePrometheusText, type Sample } from './testing/prometheus-text.ts'
import { testSection } from './testing/rule.ts'
import { says, startForFile } from './testing/upstream.ts'

const test = testSection('Requests and usage')

const { tollgate, upstream } = await startForFile()
await upstream.model('billed', says('Hello'))

const reader = (await tollgate.createKey({ name: 'Prometheus', scope: 'read-only' })).secret

async function scrape(): Promise<Sample[]> {
  const { status, text, headers } = await tollgate.call('GET', '/metrics', { as: reader })
  expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
  return parsePrometheusText(text)
}

/** The sum of all samples with these labels. */
function sum(samples: readonly Sample[], name: string, labels: Record<string, string> = {}): number {
  return samples
    .filter((sample) => sample.name === name)
    .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
    .reduce((total, { value }) => total + value, 0)
}

test('/metrics is Prometheus’ text format, and agrees with the ledger to the nano-dollar', async () => {
  // From the first read on, requests are counted.
  await scrape()
  const odd = 'a "quoted" \\ name'
  const { id, secret } = await tollgate.createKey({
    name: odd,
    scope: 'full',
    tag: 'shop',
    spendLimitUsd: 1,
    spendLimits: [{ usd: 0.5, per: 'day' }],
  })
  const chats = [
    await tollgate.chat({ model: 'billed' }, { as: secret }),
    await tollgate.chat({ model: 'billed', stream: true }, { as: secret }),
  ]
  await tollgate.chat({ model: 'no-such-model' }, { as: secret })
  await tollgate.chat({ model: 'no-such-model' }, { as: secret })
  const samples = await scrape()
  const own = { key_id: id, key: odd, tag: 'shop' }
  const { spendUsd } = await tollgate.getKey(id)
  expect(chats.map(({ status }) => status)).toEqual([200, 200])
  expect(sum(samples, 'tollgate_requests_total', { ...own, status: 'succeeded', model: 'billed' })).toBe(2)
  // The second one is counted in the record of the first, which is written a little later.
  await vi.waitFor(async () =>
    expect(sum(await scrape(), 'tollgate_requests_total', { key_id: id, status: 'rejected' })).toBe(2),
  )
  expect(sum(samples, 'tollgate_cost_usd_total', { ...own, cost_status: 'exact' })).toBeCloseTo(spendUsd, 9)
  const records = (await tollgate.records()).filter(
    ({ keyId, status }) => keyId === id && status === 'succeeded',
  )
  const tokens = records.reduce((total, { tokensIn, tokensOut }) => total + tokensIn + tokensOut, 0)
  expect(sum(samples, 'tollgate_tokens_total', own)).toBe(tokens)
  expect(sum(samples, 'tollgate_key_spend_usd', { key_id: id })).toBe(spendUsd)
  expect(sum(samples, 'tollgate_key_cap_remaining_usd', { key_id: id })).toBeCloseTo(1 - spendUsd, 9)
  expect(sum(samples, 'tollgate_key_limit_remaining_usd', { key_id: id, per: 'day' })).toBeCloseTo(
    0.5 - spendUsd,
    9,
  )
  expect(sum(samples, 'tollgate_requests_in_flight')).toBe(0)
  expect(sum(samples, 'tollgate_request_duration_seconds_count', { model: 'billed' })).toBe(2)
  expect(sum(samples, 'tollgate_time_to_first_token_seconds_count', { model: 'billed' })).toBe(1)
})

test('However many tags clients invent, /metrics has a bounded number of time series', async () => {
  await scrape()
  await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      tollgate.chat({}, { headers: { 'x-tollgate-tag': `tag-${index}` } }),
    ),
  )
  const series = (await scrape()).filter(
    ({ name, labels }) => name === 'tollgate_requests_total' && labels.key === 'Admin',
  )
  expect(series.length).toBeLessThanOrEqual(51)
  expect(sum(series, 'tollgate_requests_total')).toBe(60)
  expect(sum(series, 'tollgate_requests_total', { tag: 'other' })).toBeGreaterThanOrEqual(10)
})
