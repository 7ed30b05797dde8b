// Owns named settings and what the process takes into memory at its start.
import { nanoUsd } from '../../shared/money.ts'
import { allKeys } from './keys.ts'
import { allModelOverrides, allProviderModels, allProviders } from './providers.ts'
import { type Db, statement } from './statement.ts'
import { StoreError } from './store-error.ts'
import type { StoredState } from './types.ts'

const put = statement<[string, string]>('INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)')
const all = statement<[], { name: string; value: string }>('SELECT * FROM settings')
const meta = statement<[string], { value: string }>('SELECT value FROM meta WHERE name = ?')
const account = statement<[], { spend_nano: number }>('SELECT spend_nano FROM account WHERE id = 1')

/** All or none of them. A value is anything that JSON can hold. */
export function putSettings(db: Db, settings: readonly { name: string; value: unknown }[]): void {
  for (const { name, value } of settings) put(db).run(name, JSON.stringify(value ?? null))
}

export function loadState(db: Db): StoredState {
  return db.transaction(() => {
    const keys = allKeys(db)
    return {
      installId: metaValue(db, 'install_id'),
      installedAt: Number(metaValue(db, 'created_at')),
      isEmpty: keys.length === 0,
      keys,
      providers: allProviders(db),
      providerModels: allProviderModels(db),
      modelOverrides: allModelOverrides(db),
      settings: allSettings(db),
      accountSpendNano: nanoUsd(account(db).get()?.spend_nano ?? 0),
    }
  })()
}

function allSettings(db: Db): Record<string, unknown> {
  const entries = all(db)
    .all()
    .map(({ name, value }): [string, unknown] => [name, JSON.parse(value)])
  return Object.fromEntries(entries)
}

function metaValue(db: Db, name: string): string {
  const row = meta(db).get(name)
  if (!row) throw new StoreError('corrupt', `The database has no ${name}.`)
  return row.value
}
