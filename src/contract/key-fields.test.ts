import { expect } from 'vitest'
import { RAISED_LIMITS } from '../gateway/testing/gateway.ts'
import { rule } from './testing/rule.ts'
import { shareForFile } from './testing/upstream.ts'

const { test, tollgate } = await shareForFile('API keys')
const make = (body: object) => tollgate.call('POST', '/v1/keys', { body })
const get = (id: string) => tollgate.call('GET', `/v1/keys/${id}`)
const patch = (id: string, body: object) => tollgate.call('PATCH', `/v1/keys/${id}`, { body })

/** Expects 400 with the param for each body of a new key. */
async function expectRefused(rows: readonly (readonly [body: object, param: string])[]): Promise<void> {
  for (const [body, param] of rows) {
    const { status, json } = await make({ name: 'x', scope: 'full', ...body })
    expect([body, status, json.error?.type, json.error?.param]).toEqual([
      body,
      400,
      'invalid_request_error',
      param,
    ])
  }
}

test('name and scope are required; param names an invalid field', () =>
  expectRefused([
    [{ name: undefined }, 'name'],
    [{ scope: undefined }, 'scope'],
    [{ scope: 'root' }, 'scope'],
    ...[7, '', 'x'.repeat(101), 'a\nb', 'a\u0085b', 'a\ud800b', 'k\u202eevil\u202c', 'ad\u200bmin'].map(
      (name) => [{ name }, 'name'] as const,
    ),
    [{ tag: 'pro\u2066ject' }, 'tag'],
  ]))

test('A name may be any 1 to 100 printable Unicode characters', async () => {
  for (const name of ['x', '🦉'.repeat(100), 'Ключ № 1', 'مفتاح', '鍵 “two”', "O'Neill <b>&amp;</b>"]) {
    const { status, json } = await make({ name, scope: 'full' })
    expect(status).toBe(201)
    expect((await get(json.id)).json.name).toBe(name)
  }
})

test('spendLimitUsd is a finite number of at least 0, or null', async () => {
  await expectRefused(
    [-1, -1e-9, '5', true, [5]].map((spendLimitUsd) => [{ spendLimitUsd }, 'spendLimitUsd']),
  )
  const infinite = await tollgate.call('POST', '/v1/keys', {
    body: '{"name":"x","scope":"full","spendLimitUsd":1e400}',
  })
  expect(infinite.status).toBe(400)
  for (const spendLimitUsd of [0, 0.000001, 12.5, 1e9, null]) {
    const { status, json } = await make({ name: 'x', scope: 'full', spendLimitUsd })
    expect(status).toBe(201)
    expect((await get(json.id)).json.spendLimitUsd).toBe(spendLimitUsd)
  }
})

test('rpmLimit and tpmLimit are positive integers or null, not above the plan’s own', async () => {
  for (const field of ['rpmLimit', 'tpmLimit']) {
    await expectRefused([0, -1, 1.5, '10', 1e16].map((value) => [{ [field]: value }, field]))
    for (const value of [1, 600, null]) {
      const { status, json } = await make({ name: 'x', scope: 'full', [field]: value })
      expect(status).toBe(201)
      expect((await get(json.id)).json[field]).toBe(value)
    }
  }
  const { id } = await tollgate.createKey({ name: 'x', scope: 'full' })
  const { status, json } = await patch(id, { rpmLimit: RAISED_LIMITS.requestsPerMinute + 1 })
  expect([status, json.error.param]).toEqual([400, 'rpmLimit'])
})

test('Unknown fields are rejected on creation and update, so that a misspelled cap is not ignored', async () => {
  await expectRefused([[{ spendLimit: 1 }, 'spendLimit']])
  const { id } = await tollgate.createKey({ name: 'x', scope: 'full' })
  for (const field of ['spendLimit', 'scope', 'revokedAt', 'spendUsd']) {
    const updated = await patch(id, { [field]: 1 })
    expect([updated.status, updated.json.error.param]).toEqual([400, field])
  }
})

test('spendLimits are up to 20 limits per day, week, month, session or lifetime', async () => {
  const good = { usd: 5, per: 'day' }
  const wrong: [object, string][] = [
    [{ per: 'day' }, 'usd'],
    [{ usd: -1, per: 'day' }, 'usd'],
    [{ usd: 1, per: 'year' }, 'per'],
    [{ usd: 1, per: 'session', window: 'rolling' }, 'window'],
    [{ usd: 1, per: 'lifetime', window: 'calendar' }, 'window'],
    [{ usd: 1, per: 'day', window: 'sliding' }, 'window'],
    [{ usd: 1, per: 'day', model: '' }, 'model'],
    [{ usd: 1, per: 'day', model: 'two words' }, 'model'],
    [{ usd: 1, per: 'day', action: 'beg' }, 'action'],
    [{ usd: 1, per: 'day', tag: 'only for the account' }, 'tag'],
    [{ usd: 1, per: 'day', spentUsd: 0 }, 'spentUsd'],
  ]
  await expectRefused([
    ...wrong.map(([limit, param]) => [{ spendLimits: [good, limit] }, `spendLimits[1].${param}`] as const),
    [{ spendLimits: Array(21).fill(good) }, 'spendLimits'],
  ])

  const spendLimits = [
    good,
    { usd: 0, per: 'week', window: 'rolling', action: 'warn' },
    { usd: 3, per: 'session', action: 'ask' },
    { usd: 3, per: 'session', model: 'sandbox/*' },
    ...Array(16).fill(good),
  ]
  const { json } = await make({ name: 'x', scope: 'full', spendLimits })
  const stored = (await get(json.id)).json.spendLimits
  expect(stored).toMatchObject(spendLimits)
  expect((await patch(json.id, { name: 'y' })).json.spendLimits).toMatchObject(spendLimits)
  expect((await patch(json.id, { spendLimits: [] })).json.spendLimits).toEqual([])
})

test('tag, allowedModels and expiresAt are optional, and null removes them', async () => {
  await expectRefused([
    ...['', 'x'.repeat(101), 'a\nb'].map((tag) => [{ tag }, 'tag'] as const),
    [{ allowedModels: [] }, 'allowedModels'],
    [{ allowedModels: 'gpt-5' }, 'allowedModels'],
    [{ allowedModels: ['a', 'b c'] }, 'allowedModels[1]'],
    ...['tomorrow', '2030-02-30T00:00:00Z', '2020-01-01T00:00:00Z'].map(
      (expiresAt) => [{ expiresAt }, 'expiresAt'] as const,
    ),
  ])

  const fields = { tag: 'Website', allowedModels: ['gpt-5*', 'sandbox/echo'] }
  const { json } = await make({ name: 'x', scope: 'full', ...fields, expiresAt: '2990-01-01T02:00:00+02:00' })
  const key = (await get(json.id)).json
  expect(key).toMatchObject({ ...fields, expiresAt: '2990-01-01T00:00:00.000Z' })
  expect(key).toMatchObject({ pausedAt: null, pauseReason: null })
  const none = { tag: null, allowedModels: null, expiresAt: null }
  expect((await patch(json.id, none)).json).toMatchObject(none)
  for (const field of ['pausedAt', 'pauseReason']) {
    const { status, json: refused } = await patch(json.id, { [field]: null })
    expect([status, refused.error.param]).toEqual([400, field])
  }
})

test('strict is a boolean, false by default', async () => {
  await expectRefused([null, 'true', 1].map((strict) => [{ strict }, 'strict']))
  const { id } = (await make({ name: 'x', scope: 'full' })).json
  expect((await get(id)).json.strict).toBe(false)
  expect((await patch(id, { strict: true })).json.strict).toBe(true)
  expect((await patch(id, { name: 'y' })).json.strict).toBe(true)
  expect((await patch(id, { strict: false })).json.strict).toBe(false)

  const { secret } = await tollgate.createKey({ name: 'x', scope: 'full', strict: true })
  expect((await tollgate.call('GET', '/v1/key', { as: secret })).json.strict).toBe(true)
})

rule('API keys', 'responseCache is a time and a space, or null, which is the default', async () => {
  const [ttlSeconds, maxBytes] = [60, 1_000_000]
  await expectRefused([
    [{ responseCache: '1d' }, 'responseCache'],
    [{ responseCache: { ttlSeconds: 0, maxBytes } }, 'responseCache.ttlSeconds'],
    [{ responseCache: { ttlSeconds: 2_592_001, maxBytes } }, 'responseCache.ttlSeconds'],
    [{ responseCache: { ttlSeconds, maxBytes: 1_000 } }, 'responseCache.maxBytes'],
    [{ responseCache: { ttlSeconds, maxBytes: 2 ** 31 } }, 'responseCache.maxBytes'],
    [{ responseCache: { ttlSeconds, similar: true } }, 'responseCache.similar'],
  ])
  const { id } = (await make({ name: 'x', scope: 'full' })).json
  expect((await get(id)).json.responseCache).toBeNull()
  const cache = { ttlSeconds: 3_600, maxBytes: 1_000_000 }
  expect((await patch(id, { responseCache: cache })).json.responseCache).toEqual(cache)
  expect((await patch(id, { name: 'y' })).json.responseCache).toEqual(cache)
  const { json } = await patch(id, { responseCache: {} })
  expect(json.responseCache).toEqual({ ttlSeconds: 86_400, maxBytes: 67_108_864 })
  expect((await patch(id, { responseCache: null })).json.responseCache).toBeNull()
})

rule('Account', 'The setting strictLimits is a boolean, false by default', async () => {
  const change = (strictLimits: unknown) => tollgate.call('PATCH', '/v1/settings', { body: { strictLimits } })
  expect((await tollgate.call('GET', '/v1/settings')).json.strictLimits).toBe(false)
  expect((await change(true)).json.strictLimits).toBe(true)
  const refused = await change('yes')
  expect([refused.status, refused.json.error.param]).toEqual([400, 'strictLimits'])
  expect((await change(false)).json.strictLimits).toBe(false)
})

rule('Account', 'spendLimits of the account may also name a tag', async () => {
  const spendLimits = [{ usd: 20, per: 'month', tag: 'Website', model: '*opus*' }]
  const updated = await tollgate.call('PATCH', '/v1/account', { body: { spendLimits } })
  expect(updated.json.spendLimits).toMatchObject(spendLimits)
  expect((await tollgate.getAccount()).spendLimits).toMatchObject(spendLimits)
  const bad = await tollgate.call('PATCH', '/v1/account', { body: { spendLimits: [{ usd: 1 }] } })
  expect([bad.status, bad.json.error.param]).toEqual([400, 'spendLimits[0].per'])
  await tollgate.call('PATCH', '/v1/account', { body: { spendLimits: [] } })
})

rule('API keys', 'maxSubagents is a number from 1 to 1000, or null', async () => {
  await expectRefused([0, -1, 1.5, '3', 1001].map((maxSubagents) => [{ maxSubagents }, 'maxSubagents']))
  const { json } = await make({ name: 'x', scope: 'full', maxSubagents: 3 })
  expect((await get(json.id)).json.maxSubagents).toBe(3)
  expect((await patch(json.id, { maxSubagents: null })).json.maxSubagents).toBeNull()
})

test('secretsInPrompts is note, block or off, and note by default', async () => {
  await expectRefused(
    [null, true, 'ask'].map((secretsInPrompts) => [{ secretsInPrompts }, 'secretsInPrompts']),
  )
  const { json } = await make({ name: 'x', scope: 'full' })
  expect((await get(json.id)).json.secretsInPrompts).toBe('note')
  for (const secretsInPrompts of ['block', 'off'])
    expect((await patch(json.id, { secretsInPrompts })).json).toMatchObject({ secretsInPrompts })
})
