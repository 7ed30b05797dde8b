// The schema of a new database, and the migrations that it has had since. Databases with older tables are converted: see convert.ts.
import { randomUUID } from 'node:crypto'
import { mergeLimits } from '../../../shared/api/main-limit.ts'
import type { AccountSpendLimit } from '../../../shared/api/spend-limits.ts'
import { MAIN_PERIOD, type MainPeriod } from '../../../shared/api/terms.ts'
import { migrateParts } from '../part.ts'
import { putMeta } from '../sql/meta.ts'
import { type Db, statement } from '../sql/statement.ts'
import { StoreError, toStoreError } from '../sql/store-error.ts'
import { SCHEMA } from './schema.ts'
import { dropViews } from './views.ts'

export interface Migration {
  /** For the error message, if it fails. */
  name: string
  /** SQL, or what SQL alone cannot do. */
  apply: string | ((db: Db) => void)
}

/** The `user_version` of a database with the tables in schema.ts. Lower ones have the tables of earlier versions. */
export const FIRST_SCHEMA = 40

/** Entry n migrates a database from `user_version` FIRST_SCHEMA + n to the next. An entry never changes once it is merged. */
export const migrations: readonly Migration[] = [
  { name: 'one list of limits', apply: mergeMainLimits },
  // Tables of a feature, which now creates them itself.
  { name: 'calls imported from the logs of agents', apply: '' },
  { name: 'calls of which agents have sent events', apply: '' },
  {
    name: 'fields of features',
    apply: `ALTER TABLE requests RENAME COLUMN prompt TO features;
      UPDATE requests SET features = json_object('prompt', json(features)) WHERE features IS NOT NULL`,
  },
  {
    name: 'secrets in prompts',
    apply: "ALTER TABLE keys ADD COLUMN secrets_in_prompts TEXT NOT NULL DEFAULT 'note'",
  },
  // Tables of a feature.
  { name: 'rules', apply: '' },
  {
    name: 'sessions spread over credentials',
    apply: `ALTER TABLE providers ADD COLUMN credential_ids TEXT NOT NULL DEFAULT '[]';
      ALTER TABLE providers ADD COLUMN spread_sessions INTEGER NOT NULL DEFAULT 0`,
  },
]

/** The cap of a key and the monthly limit were apart from the other limits. */
function mergeMainLimits(db: Db): void {
  const keys = statement<[], { id: string; usd: number | null; limits: string | null }>(
    'SELECT id, spend_limit_usd AS usd, spend_limits AS limits FROM keys WHERE spend_limit_usd IS NOT NULL',
  )
  const putKey = statement<[string, string]>('UPDATE keys SET spend_limits = ? WHERE id = ?')
  for (const { id, usd, limits } of keys(db).all()) putKey(db).run(addMain(usd, limits, MAIN_PERIOD.key), id)
  db.exec('ALTER TABLE keys DROP COLUMN spend_limit_usd')
  const setting = statement<[string], { value: string }>('SELECT value FROM settings WHERE name = ?')
  const usd: unknown = JSON.parse(setting(db).get('monthlyLimitUsd')?.value ?? 'null')
  if (typeof usd === 'number') {
    const limits = setting(db).get('spendLimits')?.value ?? null
    const putSetting = statement<[string]>(
      "INSERT OR REPLACE INTO settings (name, value) VALUES ('spendLimits', ?)",
    )
    putSetting(db).run(addMain(usd, limits, MAIN_PERIOD.account))
  }
  db.exec("DELETE FROM settings WHERE name = 'monthlyLimitUsd'")
}

/** `limits`: JSON, or null for none. */
function addMain(mainUsd: number | null, limits: string | null, period: MainPeriod): string {
  const listed: AccountSpendLimit[] = limits === null ? [] : JSON.parse(limits)
  return JSON.stringify(mergeLimits([], { mainUsd, limits: listed }, period))
}

const selectVersion = statement<[], { user_version: number }>('PRAGMA user_version')

export function latestSchema(known: readonly Migration[] = migrations): number {
  return FIRST_SCHEMA + known.length
}

/** The schema of a database; 0 for an empty one. Throws a StoreError `newer` for one that is newer than the known ones. */
export function schemaVersion(db: Db, known: readonly Migration[] = migrations): number {
  const version = selectVersion(db).get()?.user_version ?? 0
  const latest = latestSchema(known)
  if (version <= latest) return version
  throw new StoreError(
    'newer',
    `This data was last used by a newer version of Tollgate (its schema is ${version}, this version knows ${latest}). Update Tollgate to open it.`,
  )
}

/** Creates the tables of an empty database, and applies the missing migrations of the core and of features, each in its own transaction. */
export function migrate(db: Db, now: number, known: readonly Migration[] = migrations): void {
  if (schemaVersion(db, known) === 0) createTables(db, now)
  const version = schemaVersion(db, known)
  const missing = known.slice(version - FIRST_SCHEMA)
  if (missing.length > 0) dropViews(db)
  for (const [index, { name, apply }] of missing.entries()) {
    try {
      db.transaction(() => {
        if (typeof apply === 'string') db.exec(apply)
        else apply(db)
        db.pragma(`user_version = ${version + index + 1}`)
      }).immediate()
    } catch (thrown) {
      const { code, message } = toStoreError(thrown)
      throw new StoreError(code, `The migration "${name}" failed: ${message}`, { cause: thrown })
    }
  }
  migrateParts(db)
}

/** Creates the tables that databases of earlier versions are copied into. */
export function createTables(db: Db, now: number): void {
  db.transaction(() => {
    db.exec(SCHEMA)
    putMeta(db, 'install_id', randomUUID())
    putMeta(db, 'created_at', String(now))
    db.pragma(`user_version = ${FIRST_SCHEMA}`)
  }).immediate()
  migrateParts(db, 1)
}
