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
const patch = (id: string, body: object) => tollgate.call('PATCH', `/v1/keys/${id}`, { body })

rule('API keys', 'A key with allowedModels may use no other model, and lists only those', async () => {
  await upstream.model('other', says('Hello'))
  const allowedModels = ['sandbox-small', 'sandbox/sandbox-l*']
  const key = await tollgate.createKey({ name: 'narrow', scope: 'full', allowedModels })
  for (const model of ['sandbox-small', 'sandbox/sandbox-small', 'sandbox-large', 'sandbox/sandbox-large'])
    expect([model, (await tollgate.chat({ model }, { as: key.secret })).status]).toEqual([model, 200])
  const { status, json } = await tollgate.chat({ model: 'other' }, { as: key.secret })
  expect([status, json.error.type, json.error.code, json.error.param]).toEqual([
    403,
    'permission_error',
    'model_not_allowed',
    'model',
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

rule('API keys', 'A failover never leaves the models that a key is allowed', async () => {
  await upstream.model('broken', (exchange) => exchange.reply(500, { error: { message: 'down' } }), {
    fallbacks: ['sandbox-small'],
  })
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

rule(
  'API keys',
  'From expiresAt on, a key is refused with 401 key_expired, until it gets a later end',
  async () => {
    const expiresAt = new Date(Date.now() + 60_000).toISOString()
    const key = await tollgate.createKey({ name: 'brief', scope: 'full', expiresAt })
    expect((await tollgate.chat({}, { as: key.secret })).status).toBe(200)
    await patch(key.id, { expiresAt: new Date(Date.now() - 1).toISOString() })
    const { status, json } = await tollgate.chat({}, { as: key.secret })
    expect([status, json.error.type, json.error.code]).toEqual([401, 'authentication_error', 'key_expired'])
    await patch(key.id, { expiresAt: null })
    expect((await tollgate.chat({}, { as: key.secret })).status).toBe(200)
  },
)

rule('API keys', 'A request that runs when its key expires ends as on a revocation', async () => {
  const silent = neverResponds()
  await upstream.model('silent', silent.handler)
  const key = await tollgate.createKey({
    name: 'expires amid',
    scope: 'full',
    expiresAt: new Date(Date.now() + 700).toISOString(),
  })
  const { status, json } = await tollgate.chat({ model: 'silent' }, { as: key.secret })
  expect([status, json.error.code]).toEqual([401, 'key_expired'])
  await silent.disconnected
})
