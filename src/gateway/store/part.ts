// The parts of features in the store. The core calls them without knowing which there are.
import type { Db } from './sql/statement.ts'
import type { UsageSource } from './sums/rollup-query.ts'

type Operation = (db: Db, ...args: never[]) => unknown
export type Operations = Readonly<Record<string, Operation>>

/** The name of an operation, and its arguments after the connection. */
export type Call = readonly [op: string, ...args: unknown[]]

/** The part of a feature in the store. */
export interface StorePart {
  /** Operations of the writer thread, each of which is atomic. */
  writes?: Operations
  /** Operations of the reader threads. */
  reads?: Operations
  /** Sources of usage sums other than requests, by name. */
  usage?: Readonly<Record<string, UsageSource>>
  /** A key was changed or revoked, by the same transaction. */
  keyChanged?(db: Db, keyId: string): void
  /** Deletes what is too old at `now`, in epoch milliseconds. */
  sweep?(db: Db, now: number): void
  /** Bytes that do not count towards the size limit of the log. */
  countBytes?(db: Db): number
}

const parts = new WeakMap<Db, readonly StorePart[]>()

/** To be called before the first operation on a connection. */
export function attachParts(db: Db, attached: readonly StorePart[]): void {
  parts.set(db, attached)
}

export function listParts(db: Db): readonly StorePart[] {
  return parts.get(db) ?? []
}

/** Runs a write of a part within the transaction of another write. */
export function runPartWrite(db: Db, call: Call): unknown {
  return runCall(db, Object.assign({}, ...listParts(db).map(({ writes }) => writes)), call)
}

export function runCall(db: Db, operations: Operations, [op, ...args]: Call): unknown {
  const operation = Object.hasOwn(operations, op) ? operations[op] : undefined
  if (!operation) throw new Error(`the store has no operation ${op}`)
  return Reflect.apply(operation, undefined, [db, ...args])
}

/** Deletes what is too old of each part. */
export function sweepParts(db: Db, now: number): void {
  for (const part of listParts(db)) part.sweep?.(db, now)
}
