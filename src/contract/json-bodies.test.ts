import { afterAll, expect } from 'vitest'
import { startProgram } from './testing/program.ts'
import { rule } from './testing/rule.ts'
import { says, startScriptedUpstream } from './testing/upstream.ts'

const tollgate = await startProgram()
const upstream = await startScriptedUpstream(tollgate)
afterAll(async () => {
  await tollgate.close()
  await upstream.close()
})

rule('HTTP', 'JSON may be nested up to 64 levels', async () => {
  const nested = (levels: number) =>
    `{"model":"sandbox-small","messages":[{"role":"user","content":"x"}],"deep":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
  expect((await tollgate.call('POST', '/v1/chat/completions', { body: nested(64) })).status).toBe(200)
  for (const levels of [65, 10_000]) {
    const { status, json } = await tollgate.call('POST', '/v1/chat/completions', { body: nested(levels) })
    expect([status, json.error.type]).toEqual([400, 'invalid_request_error'])
  }
})

rule('HTTP', 'Bodies up to 32 MB are accepted', async () => {
  const planLimits = { 'pay-as-you-go': { tokensPerMinute: 100_000_000 } }
  await tollgate.call('PATCH', '/v1/settings', { body: { planLimits } })
  await upstream.model('large', says('read it all'))
  const content = 'word '.repeat(6_000_000)
  const { status } = await tollgate.chat({ model: 'large', messages: [{ role: 'user', content }] })
  expect(status).toBe(200)
  expect(upstream.calls('large')[0]?.body.length).toBeGreaterThan(30_000_000)
})

rule('HTTP', 'Ambiguous JSON is rejected: 1e400, a duplicate member, __proto__, invalid UTF-8', async () => {
  const around = (more: string) =>
    `{"model":"sandbox-small","messages":[{"role":"user","content":"x"}],${more}}`
  for (const body of [
    around('"max_tokens":1e400'),
    around('"n":1,"n":8'),
    around('"__proto__":{}'),
    around('"n":01'),
  ]) {
    const { status, json } = await tollgate.call('POST', '/v1/chat/completions', { body })
    expect([body, status, json.error.type]).toEqual([body, 400, 'invalid_request_error'])
  }
  const response = await fetch(`${tollgate.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tollgate.admin}`, 'content-type': 'application/json' },
    body: Uint8Array.of(0x22, 0xff, 0xfe, 0x22),
  })
  expect(response.status).toBe(400)
  await response.body?.cancel()
})
