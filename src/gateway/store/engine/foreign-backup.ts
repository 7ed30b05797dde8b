// An imported backup may come from someone else, who knows its keys, and chose where requests, prompts and alerts are sent: none
// of that holds until the owner of this installation says so.
import { randomUUID } from 'node:crypto'
import type { Backup } from '../../../shared/api/account.ts'
import { FOREIGN } from '../settings/settings.ts'
import { putMeta } from '../sql/meta.ts'
import { statement } from '../sql/statement.ts'
import type { BackupFile } from './backup.ts'
import { withConnection } from './connection.ts'

export type BackupKeys = NonNullable<Backup['keys']>

/** A file of someone else may have any number of keys, with names of any length. */
const MAX_KEYS = 100
const MAX_NAME = 100

const validKeys = statement<[number, number], BackupKeys[number]>(`
  SELECT substr(name, 1, ?) AS name, scope FROM keys WHERE revoked_at IS NULL AND purpose = 'user'
  ORDER BY created_at, id LIMIT ?`)
const revokeAll = statement<[number]>('UPDATE keys SET revoked_at = ? WHERE revoked_at IS NULL')
/** Where alerts and traces are sent, and prices from elsewhere. */
const forgetSettings = statement<[]>("DELETE FROM settings WHERE name IN ('telemetry', 'webhook', 'prices')")
const closeDoors = statement<[]>(`
  UPDATE settings SET value = json_remove(value, '$.allowedOrigins', '$.containerAccess')
  WHERE name = 'settings' AND json_valid(value)`)

/** Makes the prepared copy of an imported backup harmless, in one transaction. */
export function disown(copy: string, { now, keepKeys }: { now: number; keepKeys: boolean }): void {
  withConnection(copy, (db) => {
    db.transaction(() => {
      if (!keepKeys) revokeAll(db).run(now)
      // Secrets in the keychain are found by this id.
      putMeta(db, 'install_id', randomUUID())
      putMeta(db, FOREIGN, '1')
      forgetSettings(db).run()
      closeDoors(db).run()
    })()
  })
}

/** The keys that work in an imported backup; null for another one. */
export function readBackupKeys({ imported, path }: BackupFile): BackupKeys | null {
  if (!imported) return null
  try {
    return withConnection(path, (db) => validKeys(db).all(MAX_NAME, MAX_KEYS))
  } catch {
    // The restore says that it was damaged since.
    return []
  }
}
