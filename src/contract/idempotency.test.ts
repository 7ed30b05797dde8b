import { afterAll, expect } from 'vitest'
import { startProgram } from './testing/program.ts'
import { rule } from './testing/rule.ts'
import { neverResponds, says, startScriptedUpstream } from './testing/upstream.ts'

const tollgate = await startProgram()
const upstream = await startScriptedUpstream(tollgate)
afterAll(async () => {
  await tollgate.close()
  await upstream.close()
})

const withKey = (key: string, as?: string) => ({ headers: { 'idempotency-key': key }, ...(as ? { as } : {}) })
const getSpend = async (id: string) => (await tollgate.call('GET', `/v1/keys/${id}`)).json.spendUsd
const KEPT_HEADERS = [
  'x-service-tokens-in',
  'x-service-tokens-out',
  'x-service-cost-usd',
  'x-service-model',
  'x-service-request-id',
]

rule(
  'Idempotency',
  'The same key returns the original response; the request is neither run nor charged again',
  async () => {
    await upstream.model('once', says('only once'))
    const key = await tollgate.createKey({ name: 'once', scope: 'full' })
    const first = await tollgate.chat({ model: 'once' }, withKey('k-1', key.secret))
    const spent = await getSpend(key.id)
    const second = await tollgate.chat({ model: 'once' }, withKey('k-1', key.secret))
    expect([second.status, second.text]).toEqual([200, first.text])
    expect(first.headers.get('idempotency-replayed')).toBeNull()
    expect(second.headers.get('idempotency-replayed')).toBe('true')
    for (const name of KEPT_HEADERS)
      expect([name, second.headers.get(name)]).toEqual([name, first.headers.get(name)])
    expect(upstream.calls('once')).toHaveLength(1)
    expect(await getSpend(key.id)).toBe(spent)
  },
)

rule('Idempotency', 'A replayed stream has the same bytes', async () => {
  const body = { stream: true, stream_options: { include_usage: true } }
  const first = await tollgate.chat(body, withKey('k-stream'))
  const second = await tollgate.chat(body, withKey('k-stream'))
  expect(second.text).toBe(first.text)
  expect(second.text).toContain('[DONE]')
  expect(second.headers.get('content-type')).toBe(first.headers.get('content-type'))
  expect(second.headers.get('idempotency-replayed')).toBe('true')
})

rule('Idempotency', 'POST /v1/keys is replayed with its secret, and creates one key', async () => {
  const body = { name: 'made once', scope: 'full' }
  const first = await tollgate.call('POST', '/v1/keys', { body, ...withKey('k-create') })
  const second = await tollgate.call('POST', '/v1/keys', { body, ...withKey('k-create') })
  expect([second.status, second.json]).toEqual([201, first.json])
  const { data } = (await tollgate.call('GET', '/v1/keys')).json
  expect(data.filter(({ name }: { name: string }) => name === 'made once')).toHaveLength(1)
})

rule('Idempotency', 'A repetition waits while the original request runs', async () => {
  const release = Promise.withResolvers<void>()
  await upstream.model('slow', async (exchange, nth) => {
    await release.promise
    says('slowly')(exchange, nth)
  })
  const calls = [1, 2, 3, 4].map(() => tollgate.chat({ model: 'slow' }, withKey('k-slow')))
  await expect.poll(() => upstream.calls('slow').length).toBe(1)
  release.resolve()
  const answers = await Promise.all(calls)
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  expect(answers.filter(({ headers }) => headers.get('idempotency-replayed') === 'true')).toHaveLength(3)
  expect(upstream.calls('slow')).toHaveLength(1)
})

rule('Idempotency', 'A replay does not count against limits or caps', async () => {
  const key = await tollgate.createKey({ name: 'tight', scope: 'full', rpmLimit: 1, spendLimitUsd: 0.000001 })
  expect((await tollgate.chat({}, withKey('k-tight', key.secret))).status).toBe(200)
  for (let turn = 0; turn < 3; turn++) {
    expect((await tollgate.chat({}, withKey('k-tight', key.secret))).status).toBe(200)
  }
})

rule('Idempotency', 'Same key, other body: 400 idempotency_key_reused, in flight and completed', async () => {
  await tollgate.chat({}, withKey('k-reused'))
  const { status, json } = await tollgate.chat({ max_tokens: 3 }, withKey('k-reused'))
  expect([status, json.error.type, json.error.code]).toEqual([
    400,
    'invalid_request_error',
    'idempotency_key_reused',
  ])
  const quiet = neverResponds()
  await upstream.model('quiet', quiet.handler)
  const left = new AbortController()
  const running = tollgate
    .chat({ model: 'quiet' }, { ...withKey('k-flight'), signal: left.signal })
    .catch(() => null)
  await quiet.received
  expect((await tollgate.chat({ model: 'quiet', n: 2 }, withKey('k-flight'))).json.error.code).toBe(
    'idempotency_key_reused',
  )
  left.abort()
  await running
})

rule('Idempotency', 'Keys are scoped to the API key, the method and the path', async () => {
  const other = await tollgate.createKey({ name: 'other', scope: 'admin' })
  const mine = await tollgate.chat({}, withKey('k-scoped'))
  const theirs = await tollgate.chat({}, withKey('k-scoped', other.secret))
  expect(theirs.headers.get('idempotency-replayed')).toBeNull()
  expect(theirs.json.id).not.toBe(mine.json.id)
  const created = await tollgate.call('POST', '/v1/keys', {
    body: { name: 'x', scope: 'full' },
    ...withKey('k-scoped'),
  })
  expect(created.status).toBe(201)
})

rule('Idempotency', 'A key has 1 to 255 visible ASCII characters', async () => {
  for (const key of ['x'.repeat(256), 'with space', 'é']) {
    const { status, json } = await tollgate.chat({}, withKey(key))
    expect([key, status, json.error.param]).toEqual([key, 400, 'Idempotency-Key'])
  }
  expect((await tollgate.chat({}, withKey(`!~${'x'.repeat(253)}`))).status).toBe(200)
})

rule('Idempotency', 'Replays require authentication: a revoked key gets none', async () => {
  const key = await tollgate.createKey({ name: 'revoked', scope: 'full' })
  await tollgate.chat({}, withKey('k-auth', key.secret))
  await tollgate.call('DELETE', `/v1/keys/${key.id}`)
  expect((await tollgate.chat({}, withKey('k-auth', key.secret))).status).toBe(401)
})
