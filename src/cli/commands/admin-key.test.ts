import { expect, test } from 'vitest'
import { testClient } from '../../gateway/testing/gateway.ts'
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
  const client = testClient(baseUrl, adminKey ?? '')
  const [{ id }] = (await client.call('GET', '/v1/keys')).json.data
  const refused = await client.call('DELETE', `/v1/keys/${id}`)
  expect([refused.status, refused.json]).toMatchObject([400, { error: { code: 'last_admin_key' } }])
  const held = await adminKeyCommand('--reset')
  expect([held.code, held.stdout]).toEqual([3, ''])
  expect(held.stderr).toContain('Stop it, and run this command again.')
  first.child.kill('SIGTERM')
  await first.ended

  const made = await adminKeyCommand()
  expect(made.code).toBe(0)
  const { adminKey: another } = JSON.parse(made.stdout)
  expect(made.stderr).not.toContain(another)
  const second = program.tollgate('serve', '--port', '0')
  const readyLine = await second.ready
  expect(readyLine).not.toHaveProperty('adminKey')
  const later = testClient(readyLine.baseUrl, another)
  expect((await later.call('DELETE', `/v1/keys/${id}`)).status).toBe(200)
  expect((await later.call('GET', '/v1/keys', { as: client.admin })).status).toBe(401)
})

test('admin-key --reset revokes the keys made in the same way, and lists the others', async () => {
  const first = program.tollgate('serve', '--port', '0')
  const { baseUrl, adminKey } = await first.ready
  const client = testClient(baseUrl, adminKey ?? '')
  const other = await client.createKey({ name: 'CI', scope: 'admin' })
  first.child.kill('SIGTERM')
  await first.ended

  const reset = await adminKeyCommand('--reset')
  expect(reset.code).toBe(0)
  const printed = JSON.parse(reset.stdout)
  expect(printed.revoked).toMatchObject([{ name: 'Admin' }])
  expect(printed.kept).toEqual([{ id: other.id, name: 'CI' }])
  expect(reset.stderr).not.toContain(printed.adminKey)

  const second = program.tollgate('serve', '--port', '0')
  const { baseUrl: url } = await second.ready
  const later = testClient(url, printed.adminKey)
  const statuses = [client.admin, later.admin, other.secret].map(
    async (as) => (await later.call('GET', '/v1/keys', { as })).status,
  )
  expect(await Promise.all(statuses)).toEqual([401, 200, 200])
  second.child.kill('SIGTERM')
  const { stderr } = await second.ended
  expect(stderr).toContain(`Open ${url} in a browser`)
  expect(stderr).toContain('tollgate admin-key --reset')
})
