import { expect } from 'vitest'
import { findInFiles } from '../gateway/testing/find-in-files.ts'
import { testSection } from './testing/rule.ts'
import { fails, neverResponds, says, startForFile } from './testing/upstream.ts'

const test = testSection('Idempotency')

const { tollgate, upstream } = await startForFile()

const withKey = (key: string, as?: string) => ({ headers: { 'idempotency-key': key }, ...(as ? { as } : {}) })
const getSpend = async (id: string) => (await tollgate.getKey(id)).spendUsd

const KEPT_HEADERS = [
  'x-service-tokens-in',
  'x-service-tokens-out',
  'x-service-cost-usd',
  'x-service-model',
  'x-service-request-id',
]

test('The same key returns the original response; the request is neither run nor charged again', async () => {
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
})

test('A replayed stream has the same bytes', async () => {
  const body = { stream: true, stream_options: { include_usage: true } }
  const first = await tollgate.chat(body, withKey('k-stream'))
  const second = await tollgate.chat(body, withKey('k-stream'))
  expect(second.text).toBe(first.text)
  expect(second.text).toContain('[DONE]')
  expect(second.headers.get('content-type')).toBe(first.headers.get('content-type'))
  expect(second.headers.get('idempotency-replayed')).toBe('true')
})

test('POST /v1/keys is replayed with its secret, and creates one key', async () => {
  const body = { name: 'made once', scope: 'full' }
  const first = await tollgate.call('POST', '/v1/keys', { body, ...withKey('k-create') })
  const second = await tollgate.call('POST', '/v1/keys', { body, ...withKey('k-create') })
  expect([second.status, second.json]).toEqual([201, first.json])
  const { data } = (await tollgate.call('GET', '/v1/keys')).json
  expect(data.filter(({ name }: { name: string }) => name === 'made once')).toHaveLength(1)
})

test('A repetition waits while the original request runs', async () => {
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

test('A replay does not count against limits or caps', async () => {
  const key = await tollgate.createKey({ name: 'tight', scope: 'full', rpmLimit: 1, spendLimitUsd: 0.000001 })
  expect((await tollgate.chat({}, withKey('k-tight', key.secret))).status).toBe(200)
  for (let turn = 0; turn < 3; turn++) {
    expect((await tollgate.chat({}, withKey('k-tight', key.secret))).status).toBe(200)
  }
})

test('Same key, other body: 400 idempotency_key_reused, in flight and completed', async () => {
  await tollgate.chat({}, withKey('k-reused'))
  const { status, json } = await tollgate.chat({ max_tokens: 3 }, withKey('k-reused'))
  expect([status, json.error]).toMatchObject([
    400,
    { type: 'invalid_request_error', code: 'idempotency_key_reused' },
  ])
  const running = await upstream.startUnanswered('quiet', {}, withKey('k-flight'))
  expect((await tollgate.chat({ model: 'quiet', n: 2 }, withKey('k-flight'))).json.error.code).toBe(
    'idempotency_key_reused',
  )
  await running.leave()
})

test('Keys are scoped to the API key, the method and the path', async () => {
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

test('A key has 1 to 255 visible ASCII characters', async () => {
  for (const key of ['x'.repeat(256), 'with space', 'é']) {
    const { status, json } = await tollgate.chat({}, withKey(key))
    expect([key, status, json.error.param]).toEqual([key, 400, 'Idempotency-Key'])
  }
  expect((await tollgate.chat({}, withKey(`!~${'x'.repeat(253)}`))).status).toBe(200)
})

test('Replays require authentication: a revoked key gets none', async () => {
  const key = await tollgate.createKey({ name: 'revoked', scope: 'full' })
  await tollgate.chat({}, withKey('k-auth', key.secret))
  await tollgate.call('DELETE', `/v1/keys/${key.id}`)
  expect((await tollgate.chat({}, withKey('k-auth', key.secret))).status).toBe(401)
})

test('400, 402, 403, 404 and 429 are not stored, so a corrected request can use the key', async () => {
  const reader = await tollgate.createKey({ name: 'reader', scope: 'read-only' })
  expect((await tollgate.chat({}, withKey('k-fix', reader.secret))).status).toBe(403)
  expect((await tollgate.chat({ temperature: 9 }, withKey('k-fix'))).status).toBe(400)
  expect((await tollgate.chat({ model: 'none' }, withKey('k-fix'))).status).toBe(404)
  expect((await tollgate.chat({}, withKey('k-fix'))).status).toBe(200)
  const capped = await tollgate.createKey({ name: 'capped', scope: 'full', spendLimitUsd: 0, rpmLimit: 1 })
  expect((await tollgate.chat({}, withKey('k-cap', capped.secret))).status).toBe(402)
  await tollgate.call('PATCH', `/v1/keys/${capped.id}`, { body: { spendLimitUsd: 1 } })
  expect((await tollgate.chat({}, withKey('k-cap', capped.secret))).status).toBe(200)
  expect((await tollgate.chat({}, withKey('k-rate', capped.secret))).status).toBe(429)
  await tollgate.call('PATCH', `/v1/keys/${capped.id}`, { body: { rpmLimit: null } })
  expect((await tollgate.chat({ n: 2 }, withKey('k-rate', capped.secret))).status).toBe(200)
})

test('Answers of an upstream are stored, failures included', async () => {
  await upstream.model('fails', fails(503))
  const first = await tollgate.chat({ model: 'fails' }, withKey('k-fails'))
  const second = await tollgate.chat({ model: 'fails' }, withKey('k-fails'))
  expect([second.status, second.text]).toEqual([503, first.text])
  expect(second.headers.get('idempotency-replayed')).toBe('true')
  expect(upstream.calls('fails')).toHaveLength(3)
})

test('An answer above 4 MiB is not stored: a repetition gets 502 answer_too_large and is neither run nor charged', async () => {
  await tollgate.call('PATCH', '/v1/settings', { body: { storeBodies: true } })
  await upstream.model('long', says('x'.repeat(5 * 1024 * 1024)))
  const key = await tollgate.createKey({ name: 'long', scope: 'full' })
  for (const stream of [false, true]) {
    const first = await tollgate.chat({ model: 'long', stream }, withKey(`k-long-${stream}`, key.secret))
    expect([first.status, first.text.length > 5 * 1024 * 1024]).toEqual([200, true])
    const spent = await getSpend(key.id)
    const second = await tollgate.chat({ model: 'long', stream }, withKey(`k-long-${stream}`, key.secret))
    expect([second.status, second.json.error.code]).toEqual([502, 'answer_too_large'])
    expect(second.json.error.message).toContain('too large')
    expect(await getSpend(key.id)).toBe(spent)
    const id = String(first.headers.get('x-service-request-id'))
    expect((await tollgate.getRecord(id)).bodiesKept).toBe(false)
  }
  expect(upstream.calls('long')).toHaveLength(2)
  await tollgate.call('PATCH', '/v1/settings', { body: { storeBodies: false } })
})

test('An operation that changes nothing and costs nothing ignores the key', async () => {
  const body = { model: 'sandbox-small', monthlyInputTokens: 1, monthlyOutputTokens: 1 }
  const ask = (more: object) =>
    tollgate.call('POST', '/v1/pricing/estimate', { body: { ...body, ...more }, ...withKey('k-est') })
  const answers = [await ask({}), await ask({}), await ask({ monthlyInputTokens: 2 })]
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(answers.map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([null, null, null])
})

test('Errors of the request itself are not stored, for any operation', async () => {
  const broken = { name: 'fixed', scope: 'nonsense' }
  const right = { name: 'fixed', scope: 'full' }
  expect((await tollgate.call('POST', '/v1/keys', { body: broken, ...withKey('k-ops') })).status).toBe(400)
  expect((await tollgate.call('POST', '/v1/keys', { body: right, ...withKey('k-ops') })).status).toBe(201)
  const restore = () => tollgate.call('POST', '/v1/backups/none/restore', withKey('k-restore'))
  for (const { status, headers } of [await restore(), await restore()]) {
    expect([status, headers.get('idempotency-replayed')]).toEqual([404, null])
  }
})

test('After kill -9 stored answers are available; what was in flight is 502 outcome_unknown and not run again', async () => {
  const first = await tollgate.chat({}, withKey('k-stored'))
  const createKey = () =>
    tollgate.call('POST', '/v1/keys', { body: { name: 'r', scope: 'full' }, ...withKey('k-stored') })
  const created = await createKey()
  const running = await upstream.startUnanswered('in-flight', {}, withKey('k-crash'))
  const recorded = '/v1/requests?status=running'
  await expect.poll(async () => (await tollgate.call('GET', recorded)).json.data).toHaveLength(1)
  await tollgate.kill()
  await running.answer
  await tollgate.start()
  await upstream.setCredential()
  const again = await tollgate.chat({}, withKey('k-stored'))
  expect([again.text, again.headers.get('idempotency-replayed')]).toEqual([first.text, 'true'])
  expect((await createKey()).json).toEqual(created.json)
  for (let turn = 0; turn < 2; turn++) {
    const { status, json } = await tollgate.chat({ model: 'in-flight' }, withKey('k-crash'))
    expect([status, json.error.type, json.error.code]).toEqual([502, 'upstream_error', 'outcome_unknown'])
  }
  expect(upstream.calls('in-flight')).toHaveLength(1)
  const [record] = (await tollgate.call('GET', '/v1/requests?model=in-flight')).json.data
  expect(record).toMatchObject({ status: 'failed', costStatus: 'unsettled' })
})

test('Stored answers are encrypted: no file contains a prompt, an answer or a secret', async () => {
  await upstream.model('sentinel', says('sentinel-answer-4711'))
  const messages = [{ role: 'user', content: 'sentinel-prompt-4711' }]
  await tollgate.chat({ model: 'sentinel', messages }, withKey('k-sentinel'))
  await tollgate.chat({ model: 'sentinel', messages, stream: true }, withKey('k-sentinel-stream'))
  const secrets = ['sentinel-answer-4711', 'sentinel-prompt-4711', tollgate.admin, 'secret-of-acme']
  expect(findInFiles(tollgate.dataDir, ...secrets)).toEqual([])
})

test('If the first client disconnected, a repetition gets 502 outcome_unknown and is neither run nor charged', async () => {
  const key = await tollgate.createKey({ name: 'abandons', scope: 'full' })
  await (await upstream.startUnanswered('abandoned', {}, withKey('k-left', key.secret))).leave()
  const { status, json } = await tollgate.chat({ model: 'abandoned' }, withKey('k-left', key.secret))
  expect([status, json.error.code]).toEqual([502, 'outcome_unknown'])
  expect(upstream.calls('abandoned')).toHaveLength(1)
})

test('A request that was canceled while waiting for a cap does not use up its key', async () => {
  const quiet = neverResponds()
  await upstream.model('holds', quiet.handler)
  const key = await tollgate.createKey({ name: 'held', scope: 'full', spendLimitUsd: 0.002 })
  const holder = new AbortController()
  const holding = tollgate
    .chat({ model: 'holds', max_tokens: 1000 }, { as: key.secret, signal: holder.signal })
    .catch(() => null)
  await quiet.received
  const waiter = new AbortController()
  const waiting = tollgate
    .chat({}, { ...withKey('k-wait', key.secret), signal: waiter.signal })
    .catch(() => null)
  await tollgate.call('GET', '/healthz')
  waiter.abort()
  await waiting
  holder.abort()
  await holding
  await tollgate.call('PATCH', `/v1/keys/${key.id}`, { body: { spendLimitUsd: 1 } })
  expect((await tollgate.chat({}, withKey('k-wait', key.secret))).status).toBe(200)
})

test('A repetition that is canceled while waiting for the original request is not run', async () => {
  const quiet = neverResponds()
  await upstream.model('holds', quiet.handler)
  const key = await tollgate.createKey({ name: 'waits', scope: 'full', spendLimitUsd: 0.002 })
  const abortable = (headers: object = {}, body: Record<string, unknown> = {}) => {
    const control = new AbortController()
    const call = tollgate.chat(body, { as: key.secret, signal: control.signal, ...headers }).catch(() => null)
    return { leave: () => control.abort(), call }
  }
  const holder = abortable({}, { model: 'holds', max_tokens: 1000 })
  await quiet.received
  // The first waits for the cap, and the second for the first.
  const first = abortable(withKey('k-aborted', key.secret))
  await tollgate.call('GET', '/healthz')
  const second = abortable(withKey('k-aborted', key.secret))
  await tollgate.call('GET', '/healthz')
  for (const { leave, call } of [second, first, holder]) {
    leave()
    await call
    await tollgate.call('GET', '/healthz')
  }
  await tollgate.call('PATCH', `/v1/keys/${key.id}`, { body: { spendLimitUsd: 1 } })
  const third = await tollgate.chat({}, withKey('k-aborted', key.secret))
  expect([third.status, third.headers.get('idempotency-replayed')]).toEqual([200, null])
  const { data } = (await tollgate.call('GET', `/v1/requests?key=${key.id}&model=sandbox-small`)).json
  expect(data).toHaveLength(1)
})
