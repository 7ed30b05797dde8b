import Sqlite from 'better-sqlite3'
import { nanoUsd } from '../../../shared/money/money.ts'
import { silentLog } from '../../platform/log.ts'
import { writeBackup } from '../engine/backup.ts'
import { scheduleRestore } from '../engine/backup-tasks.ts'
import { databasePath, stamp } from '../engine/files.ts'
import { openDatabase } from '../engine/open.ts'
import { claimIdempotency } from '../ledger/idempotency.ts'
import { openRequest, settleRequest } from '../ledger/ledger.ts'
import { checkTotals } from '../ledger/maintenance.ts'
import { insertKey } from '../settings/keys.ts'
import { loadState } from '../settings/settings.ts'
import type { Db } from '../sql/statement.ts'
import type { Restoration } from '../store.ts'
import { NOON, sampleKey, sampleRequest, sampleSettlement } from './samples.ts'

/** A claim that the request `req_running` holds. */
export const runningClaim = { id: 'idem', keyId: 'key_a', bodyHash: Uint8Array.of(1), createdAt: NOON }

export interface PendingSetup {
  dataDir: string
  /** The backup's id: 250 nano-dollars were spent in it. */
  id: string
  /** Where the replaced database is moved. */
  aside: string
}

/** Prepares an empty data dir: 500 nano-dollars were spent, and the restore of a backup with half of that is pending. */
export function setUpPendingRestore(dataDir: string): PendingSetup {
  const { db } = openDatabase(dataDir, silentLog, NOON)
  insertKey(db, sampleKey('key_a'))
  recordSpend(db, 'req_before', 250)
  claimIdempotency(db, runningClaim)
  openRequest(db, sampleRequest('req_running'))
  const { id } = writeBackup(dataDir, NOON)
  recordSpend(db, 'req_after', 250)
  db.close()
  scheduleRestore(dataDir, NOON + 1, id)
  return { dataDir, id, aside: `${databasePath(dataDir)}.replaced-${stamp(NOON + 1)}` }
}

export function recordSpend(db: Db, id: string, nano: number): void {
  openRequest(db, sampleRequest(id))
  settleRequest(db, sampleSettlement(id, { costNano: nanoUsd(nano) }))
}

export interface StartResult {
  restored: Restoration | null
  spend: number
  warnings: string[]
  discrepancies: number
}

/** Opens and closes the database as a start of the gateway does. */
export function start(dataDir: string): StartResult {
  const warnings: string[] = []
  const log = { ...silentLog, warn: (line: string) => warnings.push(line) }
  const { db, restored } = openDatabase(dataDir, log, NOON + 2)
  const { accountSpendNano } = loadState(db)
  const discrepancies = checkTotals(db).length
  db.close()
  return { restored, spend: accountSpendNano, warnings, discrepancies }
}

/** The total spend in a database file. */
export function readSpend(path: string): unknown {
  const db = new Sqlite(path)
  const spend = db.prepare('SELECT spend_nano FROM account').pluck().get()
  db.close()
  return spend
}

export function makeNewer(path: string): void {
  const db = new Sqlite(path)
  db.pragma('user_version = 99')
  db.close()
}
