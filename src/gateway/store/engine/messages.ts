// The messages between the store and its threads.
import type { LogFields, LogLevel } from '../../platform/log.ts'
import type { BackupTask } from './backup-tasks.ts'
import type { Restored } from './restore.ts'
import type { StoreErrorData } from './store-error.ts'

export type ThreadData =
  /** `version`: of the program. */
  | { role: 'writer' | 'reader'; dataDir: string; version?: string | undefined }
  /** Ends after its one task. */
  | { role: 'backup'; dataDir: string; task: BackupTask }

/** The name of an operation, and its arguments after the connection. */
export type Call = readonly [op: string, ...args: unknown[]]

/** The calls of a batch are answered together, by one message; there is one batch at a time. */
export type ToThread = readonly Call[] | Guest | 'close'

/** A module whose function `run` the writer calls. */
export interface Guest {
  /** The URL of its file. */
  module: string
  data: unknown
}

/** Of the call at this position in the batch. */
export type Result = { at: number; value: unknown } | { at: number; error: StoreErrorData }

export type FromThread =
  | { type: 'ready'; restored: Restored | null }
  /** The thread could not start; it ends now. */
  | { type: 'refused'; error: StoreErrorData }
  | { type: 'log'; level: LogLevel; message: string; fields: LogFields }
  /** All calls of the batch are done. Those without a result have succeeded and returned nothing. */
  | { type: 'results'; results: readonly Result[] }
  /** The result of a thread's one task. */
  | { type: 'done'; value: unknown }
