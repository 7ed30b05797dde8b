import { afterAll, expect } from 'vitest'
import { startTestUpstream } from '../gateway/upstream/testing/test-upstream.ts'
import { startProgram } from './testing/program.ts'
import { rule } from './testing/rule.ts'
import { neverResponds, startScriptedUpstream } from './testing/upstream.ts'

const tollgate = await startProgram()
const upstream = await startScriptedUpstream(tollgate)
afterAll(async () => {
  await tollgate.close()
  await upstream.close()
})

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const get = (id: string) => tollgate.call('GET', `/v1/keys/${id}`)
const patch = (id: string, body: object) => tollgate.call('PATCH', `/v1/keys/${id}`, { body })
const revoke = (id: string) => tollgate.call('DELETE', `/v1/keys/${id}`)

rule(
  'API keys',
  'A key is revoked exactly when revokedAt is set, and is then rejected with 401 immediately',
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
  },
)

rule(
  'API keys',
  'A stream in flight on a revoked key ends with an authentication_error chunk, and is charged',
  async () => {
    await upstream.model('endless', (exchange) => {
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

rule('API keys', 'A revoked key cannot be changed: 400', async () => {
  const { id } = await tollgate.createKey({ name: 'final', scope: 'full' })
  await revoke(id)
  const { status, json } = await patch(id, { spendLimitUsd: 5 })
  expect([status, json.error.type]).toEqual([400, 'invalid_request_error'])
})
