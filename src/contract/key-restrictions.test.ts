import { expect } from 'vitest'
import { startTestUpstream } from '../gateway/upstream/testing/test-upstream.ts'
import { fails, neverResponds, says, shareForFile } from './testing/upstream.ts'

const { test, tollgate, upstream } = await shareForFile('API keys')

const patch = (id: string, body: object) => tollgate.call('PATCH', `/v1/keys/${id}`, { body })

test('A key with allowedModels may use no other model, and lists only those', async () => {
  await upstream.model('other', says('Hello'))
  const allowedModels = ['sandbox-small', 'sandbox/sandbox-l*']
  const key = await tollgate.createKey({ name: 'narrow', scope: 'full', allowedModels })
  for (const model of ['sandbox-small', 'sandbox/sandbox-small', 'sandbox-large', 'sandbox/sandbox-large'])
    expect([model, (await tollgate.chat({ model }, { as: key.secret })).status]).toEqual([model, 200])
  const { status, json } = await tollgate.chat({ model: 'other' }, { as: key.secret })
  expect([status, json.error]).toMatchObject([
    403,
    { type: 'permission_error', code: 'model_not_allowed', param: 'model' },
  ])
  const listed = await tollgate.call('GET', '/v1/models', { as: key.secret })
  expect(listed.json.data.map(({ id }: { id: string }) => id).sort()).toEqual([
    'sandbox-large',
    'sandbox-small',
  ])
  expect((await tollgate.call('GET', '/v1/models/sandbox-small', { as: key.secret })).status).toBe(200)
  expect((await tollgate.call('GET', '/v1/models/other', { as: key.secret })).status).toBe(403)
  await patch(key.id, { allowedModels: null })
  expect((await tollgate.chat({ model: 'other' }, { as: key.secret })).status).toBe(200)
})

test('A failover never leaves the models that a key is allowed', async () => {
  await upstream.model('broken', fails(500), { fallbacks: ['sandbox-small'] })
  const only = await tollgate.createKey({ name: 'only', scope: 'full', allowedModels: ['broken'] })
  const both = await tollgate.createKey({
    name: 'both',
    scope: 'full',
    allowedModels: ['broken', 'sandbox-*'],
  })
  const fallback = await tollgate.createKey({ name: 'late', scope: 'full', allowedModels: ['sandbox-small'] })
  expect((await tollgate.chat({ model: 'broken' }, { as: both.secret })).json.model).toBe('sandbox-small')
  expect((await tollgate.chat({ model: 'broken' }, { as: only.secret })).status).toBeGreaterThanOrEqual(500)
  expect((await tollgate.chat({ model: 'broken' }, { as: fallback.secret })).json.model).toBe('sandbox-small')
})

test('From expiresAt on, a key is refused with 401 key_expired, until it gets a later end', async () => {
  const expiresAt = new Date(Date.now() + 60_000).toISOString()
  const key = await tollgate.createKey({ name: 'brief', scope: 'full', expiresAt })
  expect((await tollgate.chat({}, { as: key.secret })).status).toBe(200)
  await patch(key.id, { expiresAt: new Date(Date.now() - 1).toISOString() })
  const { status, json } = await tollgate.chat({}, { as: key.secret })
  expect([status, json.error.type, json.error.code]).toEqual([401, 'authentication_error', 'key_expired'])
  await patch(key.id, { expiresAt: null })
  expect((await tollgate.chat({}, { as: key.secret })).status).toBe(200)
})

test('A request that runs when its key expires ends as on a revocation', async () => {
  const silent = neverResponds()
  await upstream.model('silent', silent.handler)
  const key = await tollgate.createKey({ name: 'expires amid', scope: 'full' })
  const answer = tollgate.chat({ model: 'silent' }, { as: key.secret })
  await silent.received
  await patch(key.id, { expiresAt: new Date(Date.now() + 100).toISOString() })
  const { status, json } = await answer
  expect([status, json.error.code]).toEqual([401, 'key_expired'])
  await silent.disconnected
})

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const get = (id: string) => tollgate.call('GET', `/v1/keys/${id}`)
const revoke = (id: string) => tollgate.call('DELETE', `/v1/keys/${id}`)

test('A key is revoked exactly when revokedAt is set, and is then rejected with 401 immediately', async () => {
  const key = await tollgate.createKey({ name: 'short-lived', scope: 'full' })
  expect((await tollgate.call('GET', '/v1/models', { as: key.secret })).status).toBe(200)
  const { json } = await revoke(key.id)
  expect(json.revokedAt).toMatch(ISO)
  const after = await tollgate.call('GET', '/v1/models', { as: key.secret })
  expect(after.status).toBe(401)
  expect(after.json.error.type).toBe('authentication_error')
})

test('A plain request in flight on a revoked key answers 401, and its upstream call is aborted', async () => {
  const silent = neverResponds()
  await upstream.model('silent', silent.handler)
  const key = await tollgate.createKey({ name: 'revoked amid', scope: 'full' })
  const answer = tollgate.chat({ model: 'silent' }, { as: key.secret })
  await silent.received
  await revoke(key.id)
  const { status, json } = await answer
  expect(status).toBe(401)
  expect(json.error.type).toBe('authentication_error')
  await silent.disconnected
  expect((await get(key.id)).json.reservedUsd).toBe(0)
})

test('A stream in flight on a revoked key ends with an authentication_error chunk, and is charged', async () => {
  await upstream.model('endless', (exchange) => {
    exchange
      .begin()
      .data({ choices: [{ index: 0, delta: { content: 'words that were sent' }, finish_reason: null }] })
  })
  const key = await tollgate.createKey({ name: 'revoked amid stream', scope: 'full' })
  const response = await tollgate.openStream({ model: 'endless' }, { as: key.secret })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = (await reader?.read())?.value ?? ''
  await revoke(key.id)
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) text += part.value
  expect(text).toContain('words that were sent')
  expect(text.trimEnd().split('\n').at(-1)).toMatch(/^data: \{"error":\{"type":"authentication_error"/)
  expect(text).not.toContain('[DONE]')
  expect((await get(key.id)).json.spendUsd).toBeGreaterThan(0)
})

test('A request on a revoked key that waits for a provider’s model list gets 401', async () => {
  const list = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const slow = await startTestUpstream(async (exchange) => {
    asked.resolve()
    await list.promise
    exchange.reply(200, { object: 'list', data: [{ id: 'late-model' }] })
  })
  await tollgate.call('PUT', '/v1/providers/late', { body: { apiFormat: 'openai-chat', baseUrl: slow.url } })
  const key = await tollgate.createKey({ name: 'waits', scope: 'full' })
  const answer = tollgate.chat({ model: 'late-model' }, { as: key.secret })
  await asked.promise
  await revoke(key.id)
  list.resolve()
  expect((await answer).status).toBe(401)
  expect(slow.requests.map(({ method }) => method)).toEqual(['GET'])
  await slow.close()
})

test('An event stream in flight on a revoked key ends', async () => {
  const key = await tollgate.createKey({ name: 'listens', scope: 'read-only' })
  const events = tollgate.call('GET', '/v1/events', { as: key.secret })
  await expect.poll(async () => (await get(key.id)).json.lastUsedAt).not.toBeNull()
  await revoke(key.id)
  expect((await events).text).toContain('"type":"authentication_error"')
})

test('A revoked key cannot be changed: 400', async () => {
  const { id } = await tollgate.createKey({ name: 'final', scope: 'full' })
  await revoke(id)
  const { status, json } = await patch(id, { spendLimitUsd: 5 })
  expect([status, json.error.type]).toEqual([400, 'invalid_request_error'])
})
