import { expect } from 'vitest'
import { startTestGateway } from '../gateway/testing/gateway.ts'
import { forTest } from '../gateway/testing/lifetime.ts'
import { testCompletion } from '../gateway/upstream/testing/test-upstream.ts'
import { openLiveEvents } from './testing/live-events.ts'
import { testSection } from './testing/rule.ts'
import { shareForFile } from './testing/upstream.ts'

const test = testSection('Rate limits')

const { tollgate, upstream } = await shareForFile()

const limited = async (limits: object) =>
  (await tollgate.createKey({ name: 'limited', scope: 'full', ...limits })).secret

test('Requests per minute: 429 with Retry-After above the limit', async () => {
  const as = await limited({ rpmLimit: 2 })
  const answers = [
    await tollgate.chat({}, { as }),
    await tollgate.chat({}, { as }),
    await tollgate.chat({}, { as }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
  const wait = Number(answers[2]?.headers.get('retry-after'))
  expect(Number.isInteger(wait) && wait >= 1 && wait <= 60).toBe(true)
})

test('Tokens per minute: 429 with Retry-After above the limit', async () => {
  const as = await limited({ tpmLimit: 50 })
  const messages = [{ role: 'user', content: '[[sandbox:tokens 60]]' }]
  expect((await tollgate.chat({ messages }, { as })).status).toBe(200)
  const { status, json, headers } = await tollgate.chat({ messages }, { as })
  expect([status, json.error.type]).toEqual([429, 'rate_limit_exceeded'])
  expect(headers.get('retry-after')).toMatch(/^\d+$/)
})

test('The plan’s limits apply to all keys together', async () => {
  const planLimits = { 'pay-as-you-go': { requestsPerMinute: 3 } }
  const fresh = await forTest(startTestGateway())
  await fresh.call('PATCH', '/v1/settings', { body: { planLimits } })
  const statuses: number[] = []
  for (let turn = 0; turn < 4; turn++) {
    const { secret } = await fresh.createKey({ name: `${turn}`, scope: 'full' })
    statuses.push((await fresh.chat({}, { as: secret })).status)
  }
  expect(statuses).toEqual([200, 200, 200, 429])
})

test('A key’s rpmLimit and tpmLimit apply to that key only', async () => {
  const as = await limited({ rpmLimit: 1 })
  await tollgate.chat({}, { as })
  expect((await tollgate.chat({}, { as })).status).toBe(429)
  expect((await tollgate.chat({})).status).toBe(200)
})

test('Rejected requests do not count against limits', async () => {
  const as = await limited({ rpmLimit: 2 })
  expect((await tollgate.chat({ n: 129 }, { as })).status).toBe(400)
  expect((await tollgate.chat({ model: 'unknown' }, { as })).status).toBe(404)
  const statuses: number[] = []
  for (let turn = 0; turn < 3; turn++) statuses.push((await tollgate.chat({}, { as })).status)
  expect(statuses).toEqual([200, 200, 429])
})

test('x-ratelimit headers have OpenAI’s names and contain limit and remainder', async () => {
  const as = await limited({ rpmLimit: 5, tpmLimit: 1000 })
  const { headers } = await tollgate.chat({}, { as })
  expect(headers.get('x-ratelimit-limit-requests')).toBe('5')
  expect(headers.get('x-ratelimit-remaining-requests')).toBe('4')
  expect(headers.get('x-ratelimit-limit-tokens')).toBe('1000')
  expect(Number(headers.get('x-ratelimit-remaining-tokens'))).toBeLessThan(1000)
  expect(headers.get('x-ratelimit-reset-requests')).toBe('1m0s')
  expect(headers.get('x-ratelimit-reset-tokens')).toBe('1m0s')
  const once = await limited({ rpmLimit: 1 })
  await tollgate.chat({}, { as: once })
  expect((await tollgate.chat({}, { as: once })).headers.get('x-ratelimit-remaining-requests')).toBe('0')
})

test('Tokens read from a provider’s cache do not count once usage is known', async () => {
  const usage = { prompt_tokens: 1000, completion_tokens: 10, total_tokens: 1010 }
  const cached = { ...usage, prompt_tokens_details: { cached_tokens: 950 } }
  await upstream.model('with-cache', (exchange) =>
    exchange.reply(200, { ...testCompletion('yes'), usage: cached }),
  )
  await upstream.model('without-cache', (exchange) =>
    exchange.reply(200, { ...testCompletion('yes'), usage }),
  )
  const as = await limited({ tpmLimit: 1000 })
  for (let turn = 0; turn < 4; turn++) {
    expect((await tollgate.chat({ model: 'with-cache' }, { as })).status).toBe(200)
  }
  expect((await tollgate.chat({ model: 'without-cache' }, { as })).status).toBe(200)
  expect((await tollgate.chat({ model: 'with-cache' }, { as })).status).toBe(429)
})

test('A 429 says whose limit was reached, and where to change it', async () => {
  const key = await tollgate.createKey({ name: 'slow', scope: 'full', rpmLimit: 1 })
  await tollgate.chat({}, { as: key.secret })
  const { json } = await tollgate.chat({}, { as: key.secret })
  expect(json.error.message).toContain('The limit of 1 request per minute of the key "slow" is used up.')
  expect(json.error.message).toContain(`under Keys, or with PATCH /v1/keys/${key.id}`)
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
