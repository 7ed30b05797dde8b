// Named settings, and all that the process loads into memory when it starts.
import type { NanoUsd } from '../../../shared/money/money.ts'
import { readMeta, removeMeta } from '../sql/meta.ts'
import { type Db, statement } from '../sql/statement.ts'
import { StoreError } from '../sql/store-error.ts'
import { readAccountSpend } from '../sums/spend-sums.ts'
import { readKeys, type StoredKey } from './keys.ts'
import {
  readModelOverrides,
  readProviderModels,
  readProviders,
  type StoredModelOverride,
  type StoredProvider,
  type StoredProviderModel,
} from './providers.ts'

/** The meta entry of a database whose providers the start has not examined yet. */
export const FOREIGN = 'foreign'

/** The meta entry of a database whose version signed receipts. */
export const RECEIPT_KEY = 'receipt_key'

/** Everything the process holds in memory. */
export interface StoredState {
  installId: string
  installedAt: number
  /** No key was ever created: a new data dir. */
  isEmpty: boolean
  keys: StoredKey[]
  providers: StoredProvider[]
  providerModels: StoredProviderModel[]
  modelOverrides: StoredModelOverride[]
  settings: Record<string, unknown>
  accountSpendNano: NanoUsd
  /** It was restored from an imported backup, and `adoptProviders` was not called yet. */
  isForeign: boolean
  /** It was converted from a version that signed receipts, whose key may still be in the keychain. */
  hasReceiptKey: boolean
}

const put = statement<[string, string]>('INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)')
const all = statement<[], { name: string; value: string }>('SELECT * FROM settings')

/** Atomic. A value is anything that JSON can represent. */
export function putSettings(db: Db, settings: readonly { name: string; value: unknown }[]): void {
  for (const { name, value } of settings) put(db).run(name, JSON.stringify(value ?? null))
}

export function loadState(db: Db): StoredState {
  return db.transaction(() => {
    const keys = readKeys(db)
    return {
      installId: requireMeta(db, 'install_id'),
      installedAt: Number(requireMeta(db, 'created_at')),
      isEmpty: keys.length === 0,
      keys,
      providers: readProviders(db),
      providerModels: readProviderModels(db),
      modelOverrides: readModelOverrides(db),
      settings: Object.fromEntries(
        all(db)
          .all()
          .map(({ name, value }) => [name, JSON.parse(value)]),
      ),
      accountSpendNano: readAccountSpend(db),
      isForeign: readMeta(db, FOREIGN) !== undefined,
      hasReceiptKey: readMeta(db, RECEIPT_KEY) !== undefined,
    }
  })()
}

const disable = statement<[string]>('UPDATE providers SET enabled = 0 WHERE id = ?')

/** Disables these providers of a restored backup that may be of someone else. The others are taken for the owner's. */
export function adoptProviders(db: Db, { disabled }: { disabled: readonly string[] }): void {
  for (const id of disabled) disable(db).run(id)
  removeMeta(db, FOREIGN)
}

/** To be called when the key is deleted. */
export function forgetReceiptKey(db: Db): void {
  removeMeta(db, RECEIPT_KEY)
}

function requireMeta(db: Db, name: string): string {
  const value = readMeta(db, name)
  if (value === undefined) throw new StoreError('corrupt', `The database has no ${name}.`)
  return value
}
