// A ledger that a replication tool has copied while the gateway ran (docs/scaling.md): the database with its write-ahead log, or
// one file that was restored from both. Nothing else of the data folder is there.

import { copyFileSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import { afterAll, expect, test } from 'vitest'
import { startTestGateway } from '../testing/gateway.ts'
import { forFile } from '../testing/lifetime.ts'
import { tempDirForTest } from '../testing/temp-dir.ts'
import { connectReader } from './engine/connection.ts'
import { databasePath } from './engine/files.ts'
import { checkTotals } from './ledger/maintenance.ts'

let secret = ''
let spentUsd = 0
const stream = new AbortController()
const tollgate = await forFile(startTestGateway())
secret = (await tollgate.createKey({ name: 'Capped', scope: 'full', spendLimitUsd: 0.001 })).secret
for (const _ of [1, 2]) await tollgate.chat({}, { as: secret })
spentUsd = (await tollgate.call('GET', '/v1/key', { as: secret })).json.spendUsd
const messages = [
  { role: 'user', content: 'Runs while it is copied [[sandbox:tokens 100]] [[sandbox:stall]]' },
]
const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
const body = JSON.stringify({ model: 'sandbox-small', messages, stream: true })
await fetch(`${tollgate.baseUrl}/v1/chat/completions`, {
  ...{ method: 'POST', headers, body },
  signal: stream.signal,
})
afterAll(async () => {
  stream.abort()
})

test.each(['with its log', 'as one file'])('a copy %s opens with the same totals and caps', async (form) => {
  const dataDir = tempDirForTest()
  const from = databasePath(tollgate.dataDir)
  copyFileSync(from, databasePath(dataDir))
  copyFileSync(`${from}-wal`, `${databasePath(dataDir)}-wal`)
  if (form === 'as one file') {
    const db = new Sqlite(databasePath(dataDir))
    // Litestream's own table, which it leaves in the database.
    db.exec('CREATE TABLE _litestream_lock (id INTEGER)')
    db.pragma('wal_checkpoint(TRUNCATE)')
    db.close()
  }

  const copy = await startTestGateway({ dataDir, admin: tollgate.admin })
  const records = await copy.records()
  expect(records.map(({ status, costStatus }) => [status, costStatus])).toEqual([
    ['failed', 'unsettled'],
    ['succeeded', 'exact'],
    ['succeeded', 'exact'],
  ])
  const { spendUsd } = (await copy.call('GET', '/v1/key', { as: secret })).json
  expect(spendUsd).toBeCloseTo(spentUsd + (records[0]?.costUsd ?? 0), 9)
  // The sandbox has served all of them.
  expect((await copy.getAccount()).spendUsd).toBe(0)
  for (let calls = 0; calls < 20; calls++) await copy.chat({}, { as: secret })
  // The request that was interrupted is charged its likely cost, and holds the rest of its worst case.
  expect(records[0]?.heldUsd).toBeGreaterThan(0)
  expect((await copy.chat({}, { as: secret })).status).toBe(402)
  const db = connectReader(databasePath(dataDir))
  expect(checkTotals(db)).toEqual([])
  db.close()
  await copy.close()
})
