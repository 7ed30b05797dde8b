import { expect, test } from 'vitest'
import { z } from 'zod'
import { forEachTest } from '../../gateway/testing/lifetime.ts'
import { CliProcesses } from '../../host/testing/cli-processes.ts'
import { runHere } from '../testing/command-host.ts'

const program = forEachTest(async () => new CliProcesses())
const adminKeyCommand = (...args: string[]) =>
  runHere(['admin-key', ...args], {
    env: { TOLLGATE_DATA_DIR: program.dataDir, TOLLGATE_CREDENTIALS: 'memory' },
  })

test('the last admin key cannot be revoked, and admin-key creates one when all are lost', async () => {
  const first = program.tollgate('serve', '--port', '0')
  const { baseUrl, adminKey } = await first.ready
  const call = (url: string, secret: string | undefined, method: string, path: string) =>
    fetch(url + path, { method, headers: { authorization: `Bearer ${secret}` } })
  const Keys = z.object({ data: z.array(z.object({ id: z.string(), scope: z.string() })) })
  const { data } = Keys.parse(await (await call(baseUrl, adminKey, 'GET', '/v1/keys')).json())
  const refused = await call(baseUrl, adminKey, 'DELETE', `/v1/keys/${data[0]?.id}`)
  expect([refused.status, await refused.json()]).toMatchObject([400, { error: { code: 'last_admin_key' } }])
  const held = await adminKeyCommand('--reset')
  expect([held.code, held.stdout]).toEqual([3, ''])
  expect(held.stderr).toContain('Stop it, and run this command again.')
  first.child.kill('SIGTERM')
  await first.ended

  const made = await adminKeyCommand()
  expect(made.code).toBe(0)
  const { adminKey: another } = z.object({ adminKey: z.string() }).parse(JSON.parse(made.stdout))
  expect(made.stderr).not.toContain(another)
  const second = program.tollgate('serve', '--port', '0')
  const readyLine = await second.ready
  expect(readyLine).not.toHaveProperty('adminKey')
  expect((await call(readyLine.baseUrl, another, 'DELETE', `/v1/keys/${data[0]?.id}`)).status).toBe(200)
  expect((await call(readyLine.baseUrl, adminKey, 'GET', '/v1/keys')).status).toBe(401)
})

test('admin-key --reset revokes the keys made in the same way, and lists the others', async () => {
  const first = program.tollgate('serve', '--port', '0')
  const { baseUrl, adminKey } = await first.ready
  const call = (url: string, secret: string | undefined, method: string, path: string, body?: object) =>
    fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
  const Created = z.object({ id: z.string(), secret: z.string() })
  const created = await call(baseUrl, adminKey, 'POST', '/v1/keys', { name: 'CI', scope: 'admin' })
  const other = Created.parse(await created.json())
  first.child.kill('SIGTERM')
  await first.ended

  const reset = await adminKeyCommand('--reset')
  expect(reset.code).toBe(0)
  const Printed = z.object({
    adminKey: z.string(),
    revoked: z.array(z.object({ id: z.string(), name: z.string() })),
    kept: z.array(z.object({ id: z.string(), name: z.string() })),
  })
  const printed = Printed.parse(JSON.parse(reset.stdout))
  expect(printed.revoked).toMatchObject([{ name: 'Admin' }])
  expect(printed.kept).toEqual([{ id: other.id, name: 'CI' }])
  expect(reset.stderr).not.toContain(printed.adminKey)

  const second = program.tollgate('serve', '--port', '0')
  const { baseUrl: url } = await second.ready
  const statuses = [adminKey, printed.adminKey, other.secret].map(
    async (secret) => (await call(url, secret, 'GET', '/v1/keys')).status,
  )
  expect(await Promise.all(statuses)).toEqual([401, 200, 200])
  second.child.kill('SIGTERM')
  const { stderr } = await second.ended
  expect(stderr).toContain(`Open ${url} in a browser`)
  expect(stderr).toContain('tollgate admin-key --reset')
})
