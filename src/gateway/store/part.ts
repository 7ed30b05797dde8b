// The parts of features in the store. The core calls them without knowing which there are.
import { putMeta, readMeta } from './sql/meta.ts'
import type { Db } from './sql/statement.ts'
import { StoreError } from './sql/store-error.ts'
import type { UsageSource } from './sums/rollup-query.ts'

type Operation = (db: Db, ...args: never[]) => unknown
export type Operations = Readonly<Record<string, Operation>>

/** The name of an operation, and its arguments after the connection. */
export type Call = readonly [op: string, ...args: unknown[]]

/** The part of a feature in the store. */
export interface StorePart {
  /** The name of the feature, under which its number of migrations is stored. */
  name: string
  /** The creation of its tables and their changes, in order. Each is applied once, and never changes once it has landed. */
  migrations?: readonly PartMigration[]
  /** Operations of the writer thread, each of which is atomic. */
  writes?: Operations
  /** Operations of the reader threads. */
  reads?: Operations
  /** Sources of usage sums other than requests, by name. */
  usage?: Readonly<Record<string, UsageSource>>
  /** SQL of the number of requests that it runs in a session, a row of `sessions`. */
  running?: string
  /** A key was changed or revoked, by the same transaction. */
  keyChanged?(db: Db, keyId: string): void
  /** Deletes what is too old at `now`, in epoch milliseconds. */
  sweep?(db: Db, now: number): void
  /** Bytes that do not count towards the size limit of the log. */
  countBytes?(db: Db): number
}

/** SQL, or what SQL alone cannot do. */
type PartMigration = string | ((db: Db) => void)

let parts: readonly StorePart[] = []

/** To be called before the first database is opened. */
export function registerParts(registered: readonly StorePart[]): void {
  parts = registered
}

export function listParts(): readonly StorePart[] {
  return parts
}

/** How many migrations of a part a database has had. Throws a StoreError `newer` for tables of a newer version. */
function countApplied(db: Db, { name, migrations = [] }: StorePart): number {
  const applied = Number(readMeta(db, `migrations of ${name}`) ?? 0)
  if (applied <= migrations.length) return applied
  throw new StoreError('newer', `This data was last used by a newer version of Tollgate (${name}).`)
}

/** Whether a part has tables that the database lacks. */
export function needsMigration(db: Db): boolean {
  return parts.some((part) => countApplied(db, part) < (part.migrations?.length ?? 0))
}

/** Applies the missing migrations of each part, or the first ones of each, each in its own transaction. */
export function migrateParts(db: Db, first = Number.POSITIVE_INFINITY): void {
  for (const part of parts) {
    const { name, migrations = [] } = part
    for (let next = countApplied(db, part); next < Math.min(first, migrations.length); next++)
      db.transaction(() => {
        const apply = migrations[next]
        if (typeof apply === 'string') db.exec(apply)
        else apply?.(db)
        putMeta(db, `migrations of ${name}`, String(next + 1))
      }).immediate()
  }
}

/** Runs a write of a part within the transaction of another write. */
export function runPartWrite(db: Db, call: Call): unknown {
  return runCall(db, Object.assign({}, ...parts.map(({ writes }) => writes)), call)
}

export function runCall(db: Db, operations: Operations, [op, ...args]: Call): unknown {
  const operation = Object.hasOwn(operations, op) ? operations[op] : undefined
  if (!operation) throw new Error(`the store has no operation ${op}`)
  return Reflect.apply(operation, undefined, [db, ...args])
}

/** Deletes what is too old of each part. */
export function sweepParts(db: Db, now: number): void {
  for (const part of parts) part.sweep?.(db, now)
}
