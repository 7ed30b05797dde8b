import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect } from 'vitest'
import { startTestUpstream } from '../gateway/upstream/testing/test-upstream.ts'
import { startProgram } from './testing/program.ts'
import { rule } from './testing/rule.ts'
import { says, silence, startStage } from './testing/upstream.ts'

const tollgate = await startProgram()
const stage = await startStage(tollgate)
afterAll(async () => {
  await tollgate.close()
  await stage.close()
})

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const make = (body: object) => tollgate.call('POST', '/v1/keys', { body })
const get = (id: string) => tollgate.call('GET', `/v1/keys/${id}`)
const patch = (id: string, body: object) => tollgate.call('PATCH', `/v1/keys/${id}`, { body })
const revoke = (id: string) => tollgate.call('DELETE', `/v1/keys/${id}`)

rule(
  'API keys',
  'A listed key has id, name, scope, createdAt, lastUsedAt, revokedAt and spendUsd',
  async () => {
    const { id } = await tollgate.createKey({ name: 'listed', scope: 'full' })
    const { json } = await tollgate.call('GET', '/v1/keys')
    expect(json.data.find((key: { id: string }) => key.id === id)).toMatchObject({
      id,
      name: 'listed',
      scope: 'full',
      createdAt: expect.stringMatching(ISO),
      lastUsedAt: null,
      revokedAt: null,
      spendUsd: 0,
    })
  },
)

rule('API keys', 'The secret is never part of the listed metadata', async () => {
  const { id, secret } = await tollgate.createKey({ name: 'secretive', scope: 'full' })
  const answers = [
    await tollgate.call('GET', '/v1/keys'),
    await get(id),
    await patch(id, { name: 'still so' }),
  ]
  for (const answer of [...answers, await revoke(id)]) expect(answer.text).not.toContain(secret)
})

rule('API keys', 'lastUsedAt is null until the key is used, and a time afterwards', async () => {
  const key = await tollgate.createKey({ name: 'used', scope: 'full' })
  expect((await get(key.id)).json.lastUsedAt).toBeNull()
  await tollgate.call('GET', '/v1/models', { as: key.secret })
  expect((await get(key.id)).json.lastUsedAt).toMatch(ISO)
})

rule('API keys', 'Creation returns id, secret, name, scope and createdAt, and nothing else', async () => {
  const { json } = await make({ name: 'new', scope: 'read-only', spendLimitUsd: 3 })
  expect(json).toEqual({
    id: expect.any(String),
    secret: expect.any(String),
    name: 'new',
    scope: 'read-only',
    createdAt: expect.stringMatching(ISO),
  })
})

rule('API keys', 'The service cannot recover a secret: no file contains it', async () => {
  const { secret } = await tollgate.createKey({ name: 'unrecoverable', scope: 'full' })
  await tollgate.call('POST', '/v1/keys', {
    body: { name: 'sealed', scope: 'full' },
    headers: { 'idempotency-key': 'sealed-creation' },
  })
  const files = readdirSync(tollgate.dataDir, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  expect(files.length).toBeGreaterThan(0)
  for (const file of files) {
    const bytes = readFileSync(join(file.parentPath, file.name))
    expect(bytes.includes(secret)).toBe(false)
    expect(bytes.includes('tg-')).toBe(false)
  }
})

rule(
  'API keys',
  'A key is revoked exactly when revokedAt is set, and is then rejected with 401 at once',
  async () => {
    const key = await tollgate.createKey({ name: 'short-lived', scope: 'full' })
    expect((await tollgate.call('GET', '/v1/models', { as: key.secret })).status).toBe(200)
    const { json } = await revoke(key.id)
    expect(json.revokedAt).toMatch(ISO)
    const after = await tollgate.call('GET', '/v1/models', { as: key.secret })
    expect(after.status).toBe(401)
    expect(after.json.error.type).toBe('authentication_error')
  },
)

rule(
  'API keys',
  'A plain request in flight on a revoked key answers 401, and its upstream call is aborted',
  async () => {
    const upstream = silence()
    await stage.model('silent', upstream.part)
    const key = await tollgate.createKey({ name: 'revoked amid', scope: 'full' })
    const answer = tollgate.chat({ model: 'silent' }, { as: key.secret })
    await upstream.asked
    await revoke(key.id)
    const { status, json } = await answer
    expect(status).toBe(401)
    expect(json.error.type).toBe('authentication_error')
    await upstream.gone
    expect((await get(key.id)).json.reservedUsd).toBe(0)
  },
)

rule(
  'API keys',
  'A stream in flight on a revoked key ends with an authentication_error chunk, and is charged',
  async () => {
    await stage.model('endless', (exchange) => {
      exchange
        .begin()
        .data({ choices: [{ index: 0, delta: { content: 'words that were sent' }, finish_reason: null }] })
    })
    const key = await tollgate.createKey({ name: 'revoked amid stream', scope: 'full' })
    const response = await fetch(`${tollgate.baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'endless',
        stream: true,
        messages: [{ role: 'user', content: 'Go on' }],
      }),
    })
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = (await reader?.read())?.value ?? ''
    await revoke(key.id)
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) text += part.value
    expect(text).toContain('words that were sent')
    expect(text.trimEnd().split('\n').at(-1)).toMatch(/^data: \{"error":\{"type":"authentication_error"/)
    expect(text).not.toContain('[DONE]')
    expect((await get(key.id)).json.spendUsd).toBeGreaterThan(0)
  },
)

rule('API keys', 'A request on a revoked key that waits for a provider’s model list gets 401', async () => {
  const list = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const slow = await startTestUpstream(async (exchange) => {
    asked.resolve()
    await list.promise
    exchange.reply(200, { object: 'list', data: [{ id: 'late-model' }] })
  })
  await tollgate.call('PUT', '/v1/providers/late', {
    body: { apiFormat: 'openai-chat', baseUrl: slow.url },
  })
  const key = await tollgate.createKey({ name: 'waits', scope: 'full' })
  const answer = tollgate.chat({ model: 'late-model' }, { as: key.secret })
  await asked.promise
  await revoke(key.id)
  list.resolve()
  expect((await answer).status).toBe(401)
  expect(slow.requests.map(({ method }) => method)).toEqual(['GET'])
  await slow.close()
})

rule('API keys', 'An event stream in flight on a revoked key ends', async () => {
  const key = await tollgate.createKey({ name: 'listens', scope: 'read-only' })
  const events = tollgate.call('GET', '/v1/events', { as: key.secret })
  await expect.poll(async () => (await get(key.id)).json.lastUsedAt).not.toBeNull()
  await revoke(key.id)
  expect((await events).text).toContain('"type":"authentication_error"')
})

rule('API keys', 'GET /v1/keys returns { data: [...] }, revoked keys included', async () => {
  const { id } = await tollgate.createKey({ name: 'gone', scope: 'full' })
  await revoke(id)
  const { json } = await tollgate.call('GET', '/v1/keys')
  expect(Object.keys(json)).toEqual(['data'])
  expect(json.data.map((key: { id: string }) => key.id)).toContain(id)
})

rule(
  'API keys',
  'A secret is tg- and 43 base64url characters; ids are key_ and req_; creation answers 201',
  async () => {
    const { status, json, headers } = await make({ name: 'shape', scope: 'full' })
    expect(status).toBe(201)
    expect(json.secret).toMatch(/^tg-[A-Za-z0-9_-]{43}$/)
    expect(json.id).toMatch(/^key_[A-Za-z0-9]+$/)
    expect(headers.get('x-service-request-id')).toMatch(/^req_[A-Za-z0-9]+$/)
  },
)

rule('API keys', 'name and scope are required; param names an invalid field', async () => {
  for (const [body, param] of [
    [{ scope: 'full' }, 'name'],
    [{ name: 'x' }, 'scope'],
    [{ name: 'x', scope: 'root' }, 'scope'],
    [{ name: 7, scope: 'full' }, 'name'],
    [{ name: '', scope: 'full' }, 'name'],
    [{ name: 'x'.repeat(101), scope: 'full' }, 'name'],
    [{ name: 'a\nb', scope: 'full' }, 'name'],
    [{ name: 'a\u0085b', scope: 'full' }, 'name'],
    [{ name: 'a\ud800b', scope: 'full' }, 'name'],
  ] as const) {
    const { status, json } = await make(body)
    expect([status, json.error.type, json.error.param]).toEqual([400, 'invalid_request_error', param])
  }
})

rule('API keys', 'A name may be any 1 to 100 printable Unicode characters', async () => {
  for (const name of ['x', '🦉'.repeat(100), 'Ключ № 1', 'مفتاح', '鍵 “two”', "O'Neill <b>&amp;</b>"]) {
    const { status, json } = await make({ name, scope: 'full' })
    expect(status).toBe(201)
    expect((await get(json.id)).json.name).toBe(name)
  }
})

rule('API keys', 'spendLimitUsd is a finite number of at least 0, or null', async () => {
  for (const spendLimitUsd of [-1, -1e-9, '5', true, [5]]) {
    const { status, json } = await make({ name: 'x', scope: 'full', spendLimitUsd })
    expect([status, json.error.param]).toEqual([400, 'spendLimitUsd'])
  }
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

rule(
  'API keys',
  'rpmLimit and tpmLimit are positive integers or null, not above the plan’s own',
  async () => {
    for (const field of ['rpmLimit', 'tpmLimit']) {
      for (const value of [0, -1, 1.5, '10', 1e15]) {
        const { status, json } = await make({ name: 'x', scope: 'full', [field]: value })
        expect([status, json.error.param]).toEqual([400, field])
      }
      for (const value of [1, 600, null]) {
        const { status, json } = await make({ name: 'x', scope: 'full', [field]: value })
        expect(status).toBe(201)
        expect((await get(json.id)).json[field]).toBe(value)
      }
    }
    const { id } = await tollgate.createKey({ name: 'x', scope: 'full' })
    const { status, json } = await patch(id, { rpmLimit: 3_001 })
    expect([status, json.error.param]).toEqual([400, 'rpmLimit'])
  },
)

rule(
  'API keys',
  'Unknown fields are rejected on creation and update, so that a misspelled cap is not ignored',
  async () => {
    const created = await make({ name: 'x', scope: 'full', spendLimit: 1 })
    expect([created.status, created.json.error.param]).toEqual([400, 'spendLimit'])
    const { id } = await tollgate.createKey({ name: 'x', scope: 'full' })
    for (const field of ['spendLimit', 'scope', 'revokedAt', 'spendUsd']) {
      const updated = await patch(id, { [field]: 1 })
      expect([updated.status, updated.json.error.param]).toEqual([400, field])
    }
  },
)

rule('API keys', 'Metadata also has spendLimitUsd, rpmLimit, tpmLimit and reservedUsd', async () => {
  const { id } = await tollgate.createKey({ name: 'x', scope: 'full', spendLimitUsd: 2, rpmLimit: 3 })
  expect((await get(id)).json).toMatchObject({
    spendLimitUsd: 2,
    rpmLimit: 3,
    tpmLimit: null,
    reservedUsd: 0,
  })
})

rule('API keys', 'GET /v1/keys/{id} returns the listed metadata', async () => {
  const { id } = await tollgate.createKey({ name: 'the same', scope: 'admin' })
  const { json } = await tollgate.call('GET', '/v1/keys')
  expect((await get(id)).json).toEqual(json.data.find((key: { id: string }) => key.id === id))
})

rule(
  'API keys',
  'PATCH changes name, cap and limits, keeps the rest, clears with null, and returns the metadata',
  async () => {
    const { id } = await tollgate.createKey({ name: 'before', scope: 'full', spendLimitUsd: 1, rpmLimit: 5 })
    const changed = await patch(id, { name: 'after', spendLimitUsd: 2, tpmLimit: 100 })
    expect(changed.status).toBe(200)
    expect(changed.json).toMatchObject({ id, name: 'after', spendLimitUsd: 2, rpmLimit: 5, tpmLimit: 100 })
    expect((await get(id)).json).toEqual(changed.json)
    expect((await patch(id, { spendLimitUsd: null, rpmLimit: null })).json).toMatchObject({
      name: 'after',
      spendLimitUsd: null,
      rpmLimit: null,
      tpmLimit: 100,
    })
    expect((await patch(id, { spendLimitUsd: -1 })).status).toBe(400)
  },
)

rule('API keys', 'DELETE returns 200 with the metadata and revokedAt, also when repeated', async () => {
  const { id } = await tollgate.createKey({ name: 'twice', scope: 'full' })
  const first = await revoke(id)
  const second = await revoke(id)
  expect([first.status, second.status]).toEqual([200, 200])
  expect(second.json).toEqual(first.json)
  expect(first.json).toMatchObject({ id, name: 'twice', revokedAt: expect.stringMatching(ISO) })
})

rule('API keys', 'A revoked key cannot be changed: 400', async () => {
  const { id } = await tollgate.createKey({ name: 'final', scope: 'full' })
  await revoke(id)
  const { status, json } = await patch(id, { spendLimitUsd: 5 })
  expect([status, json.error.type]).toEqual([400, 'invalid_request_error'])
})

rule('API keys', 'An unknown key id is 404 for GET, PATCH and DELETE', async () => {
  for (const answer of [
    await get('key_none'),
    await patch('key_none', { name: 'x' }),
    await revoke('key_none'),
  ]) {
    expect([answer.status, answer.json.error.type]).toEqual([404, 'not_found_error'])
  }
})

rule(
  'API keys',
  'GET /v1/key returns the calling key and what remains of its cap, for any scope',
  async () => {
    await stage.model('brief', says('hi'))
    for (const scope of ['admin', 'full', 'read-only', 'completions-only']) {
      const key = await tollgate.createKey({ name: scope, scope, spendLimitUsd: 1 })
      if (scope !== 'read-only') await tollgate.chat({ model: 'brief' }, { as: key.secret })
      const { status, json } = await tollgate.call('GET', '/v1/key', { as: key.secret })
      expect(status).toBe(200)
      expect(json).toMatchObject({ id: key.id, scope, spendLimitUsd: 1 })
      expect(Math.round(json.remainingUsd * 1e9)).toBe(1e9 - Math.round(json.spendUsd * 1e9))
    }
    const vast = await tollgate.createKey({ name: 'vast', scope: 'full', spendLimitUsd: 1e300 })
    expect((await tollgate.call('GET', '/v1/key', { as: vast.secret })).json.remainingUsd).toBe(1e300)
    const uncapped = await tollgate.createKey({ name: 'uncapped', scope: 'full' })
    expect((await tollgate.call('GET', '/v1/key', { as: uncapped.secret })).json.remainingUsd).toBeNull()
  },
)
