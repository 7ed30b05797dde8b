// Which keys exist. No key is ever deleted, so each connection asks for each of them once.
import { type Db, statement } from '../engine/statement.ts'
import { StoreError } from '../engine/store-error.ts'

const hasKey = statement<[string], { id: string }>('SELECT id FROM keys WHERE id = ?')

const known = new WeakMap<Db, Set<string>>()

/** Throws for a key that is not stored: its requests would be in no sum. */
export function requireKey(db: Db, id: string): void {
  const keys = known.get(db)
  if (keys?.has(id)) return
  if (!hasKey(db).get(id)) throw new StoreError('failed', `The store has no key ${id}.`)
  if (keys) keys.add(id)
  else known.set(db, new Set([id]))
}

/** To be called after a rollback, which may have removed keys that were new. */
export function forgetKeys(db: Db): void {
  known.delete(db)
}
