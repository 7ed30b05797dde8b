import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect, test } from 'vitest'
import { startTestGateway } from '../testing/gateway.ts'

test('while another program locks the database, changes are 503 ledger_unavailable and not made', async () => {
  const tollgate = await startTestGateway()
  const other = new Sqlite(join(tollgate.dataDir, 'tollgate.db'))
  other.exec('BEGIN IMMEDIATE')
  const body = { name: 'Later', scope: 'full' }
  const headers = { 'idempotency-key': 'k' }
  const { status, json } = await tollgate.call('POST', '/v1/keys', { body, headers })
  expect([status, json.error]).toEqual([
    503,
    {
      type: 'server_error',
      code: 'ledger_unavailable',
      message: expect.stringContaining('Another program is using the database'),
    },
  ])
  other.exec('ROLLBACK')
  other.close()
  expect((await tollgate.call('POST', '/v1/keys', { body, headers })).status).toBe(201)
  const { data } = (await tollgate.call('GET', '/v1/keys')).json
  expect(data.filter(({ name }: { name: string }) => name === 'Later')).toHaveLength(1)
  await tollgate.close()
})
