// When the database was last checked for damage, and the check of all of it while the gateway runs.
import { putMeta, readMeta, removeMeta } from '../sql/meta.ts'
import type { Db } from '../sql/statement.ts'
import { StoreError } from '../sql/store-error.ts'

const CHECK_INTERVAL_MS = 24 * 60 * 60_000

/** To be called when the database is opened. Without a clean end before, the last check no longer counts. */
export function noteBegin(db: Db): void {
  try {
    db.transaction(() => {
      if (readMeta(db, 'clean_end') === undefined) removeMeta(db, 'checked_at')
      removeMeta(db, 'clean_end')
    })()
  } catch {
    // The disk is full or another program holds the database, which later writes report.
  }
}

/** To be called before the database is closed. */
export function noteCleanEnd(db: Db): void {
  putMeta(db, 'clean_end', '1')
}

export function isCheckDue(db: Db, now: number): boolean {
  const checkedAt = Number(readMeta(db, 'checked_at') ?? Number.NaN)
  return !(checkedAt <= now && now - checkedAt < CHECK_INTERVAL_MS)
}

/** Reads the whole database. Throws a StoreError `corrupt` if it is damaged, which is fatal for the store. */
export function checkDamage(db: Db): void {
  const findings = db.pragma('quick_check(1)', { simple: true })
  if (findings !== 'ok') throw new StoreError('corrupt', `The database is damaged: ${String(findings)}`)
}

export function noteCheck(db: Db, at: number): void {
  putMeta(db, 'checked_at', String(at))
}
