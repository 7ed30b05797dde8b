import { afterAll, expect } from 'vitest'
import { startProgram } from './testing/program.ts'
import { rule } from './testing/rule.ts'
import { startScriptedUpstream } from './testing/upstream.ts'

const tollgate = await startProgram()
const upstream = await startScriptedUpstream(tollgate)
afterAll(async () => {
  await tollgate.close()
  await upstream.close()
})
const make = (body: object) => tollgate.call('POST', '/v1/keys', { body })
const get = (id: string) => tollgate.call('GET', `/v1/keys/${id}`)
const patch = (id: string, body: object) => tollgate.call('PATCH', `/v1/keys/${id}`, { body })

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
