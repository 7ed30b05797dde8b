import { expect } from 'vitest'
import { openLiveEvents } from '../gateway/testing/live-events.ts'
import { billing } from '../gateway/upstream/testing/test-upstream.ts'
import { shareForFile } from './testing/upstream.ts'

const { test, tollgate, upstream } = await shareForFile('Rate limits')

const limited = async (limits: object) =>
  (await tollgate.createKey({ name: 'limited', scope: 'full', ...limits })).secret

test('Tokens read from a provider’s cache do not count once usage is known', async () => {
  const cached = { prompt_tokens_details: { cached_tokens: 950 } }
  await upstream.model('with-cache', billing(1000, 10, cached))
  await upstream.model('without-cache', billing(1000, 10))
  const as = await limited({ tpmLimit: 1000 })
  for (let turn = 0; turn < 4; turn++) {
    expect((await tollgate.chat({ model: 'with-cache' }, { as })).status).toBe(200)
  }
  expect((await tollgate.chat({ model: 'without-cache' }, { as })).status).toBe(200)
  expect((await tollgate.chat({ model: 'with-cache' }, { as })).status).toBe(429)
})

test('Other operations count neither against rpmLimit nor tpmLimit', async () => {
  const as = await limited({ rpmLimit: 1 })
  for (let turn = 0; turn < 5; turn++)
    expect((await tollgate.call('GET', '/v1/models', { as })).status).toBe(200)
})

test('A key makes 600 other requests a minute, then 429 with Retry-After; other keys and inference go on', async () => {
  const as = await limited({})
  const ask = async () => (await tollgate.call('GET', '/v1/key', { as })).status
  for (let turn = 0; turn < 60; turn++)
    expect(await Promise.all(Array.from({ length: 10 }, ask))).toEqual(Array(10).fill(200))
  const { status, json, headers } = await tollgate.call('GET', '/v1/models', { as })
  expect([status, json.error.type, json.error.code]).toEqual([
    429,
    'rate_limit_exceeded',
    'operation_rate_limit',
  ])
  const wait = Number(headers.get('retry-after'))
  expect(Number.isInteger(wait) && wait >= 1 && wait <= 60).toBe(true)
  expect((await tollgate.call('GET', '/v1/models', { as: await limited({}) })).status).toBe(200)
  expect((await tollgate.chat({}, { as })).status).toBe(200)
})

test('A key has at most 20 event streams; one that ends makes room', async () => {
  const as = await limited({})
  const open = () => openLiveEvents({ baseUrl: tollgate.baseUrl, admin: as })
  const streams = await Promise.all(Array.from({ length: 20 }, open))
  const refused = await tollgate.call('GET', '/v1/events', { as })
  expect([refused.status, refused.json.error.code]).toEqual([429, 'too_many_event_streams'])
  expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
  streams[0]?.close()
  // A HEAD is counted for as long as its answer takes.
  await expect.poll(async () => (await tollgate.call('HEAD', '/v1/events', { as })).status).toBe(200)
  for (const stream of streams) stream.close()
})
