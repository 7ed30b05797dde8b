import { afterAll, expect } from 'vitest'
import { startProgram } from './testing/program.ts'
import { rule } from './testing/rule.ts'

const tollgate = await startProgram()
afterAll(() => tollgate.close())

const read = (headers: Record<string, string>, path = '/v1/models') =>
  tollgate.call('GET', path, { as: '', headers })

rule(
  'API keys',
  'A key is accepted in Authorization, x-api-key, api-key, x-goog-api-key and x-tollgate-key',
  async () => {
    for (const headers of [
      { authorization: `Bearer ${tollgate.admin}` },
      { 'x-api-key': tollgate.admin },
      { 'api-key': tollgate.admin },
      { 'x-goog-api-key': tollgate.admin },
      { 'x-tollgate-key': tollgate.admin },
      { authorization: `Bearer ${tollgate.admin}`, 'x-api-key': tollgate.admin },
    ])
      expect((await read(headers)).status).toBe(200)
  },
)

rule('API keys', 'Two credentials that differ are 401, whichever of them is right', async () => {
  const names = ['x-api-key', 'api-key', 'x-goog-api-key']
  for (const name of names) {
    const { status, json } = await read({ authorization: 'Bearer dummy', [name]: tollgate.admin })
    expect([name, status, json.error.type ?? json.error.status]).toEqual([name, 401, 'authentication_error'])
    expect(json.error.message).toBe(
      `Different API keys were sent in "Authorization" and "${name}". Send one key, in one of them.`,
    )
  }
  expect((await read({ 'x-api-key': 'dummy', 'x-goog-api-key': tollgate.admin })).status).toBe(401)
})

rule(
  'API keys',
  'Next to x-tollgate-key, the other headers may hold what is no key of Tollgate',
  async () => {
    const own = { 'x-tollgate-key': tollgate.admin }
    const others = { authorization: 'Bearer something', 'x-api-key': 'dummy' }
    expect((await read({ ...own, ...others })).status).toBe(200)
    const otherKey = tollgate.admin.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
    const { status, json } = await read({ ...own, authorization: `Bearer ${otherKey}` })
    expect([status, json.error.message]).toEqual([
      401,
      'Different API keys were sent in "Authorization" and "x-tollgate-key". Send one key, in one of them.',
    ])
  },
)

rule('API keys', 'The sign-in of a plan is refused, whatever key comes with it', async () => {
  const key = { 'x-tollgate-key': tollgate.admin }
  const claude = { authorization: 'Bearer sk-ant-oat01-made-up' }
  const codex = { authorization: 'Bearer eyJhbGciOiJub25lIn0.e30.', 'chatgpt-account-id': 'a' }
  for (const headers of [claude, codex, { ...key, ...claude }, { ...key, ...codex }]) {
    const { status, json } = await read(headers)
    expect([status, json.error]).toMatchObject([403, { type: 'permission_error', code: 'plan_sign_in' }])
  }
})

rule('API keys', 'A key in the URL is refused with the header to use instead', async () => {
  for (const [path, code] of [
    [`/v1beta/models?key=${tollgate.admin}`, 401],
    ['/v1beta/models?key=something', 401],
  ] as const) {
    const { status, json } = await read({}, path)
    expect(status).toBe(code)
    expect(json.error).toMatchObject({ code, status: 'UNAUTHENTICATED' })
    expect(json.error.message).toContain('x-goog-api-key')
  }
  for (const secret of [tollgate.admin, 'something']) {
    const both = await read({ 'x-goog-api-key': tollgate.admin }, `/v1beta/models?pageSize=5&key=${secret}`)
    expect(both.status).toBe(400)
    expect(both.json.error.message).toContain('must not be in the URL')
  }
})
