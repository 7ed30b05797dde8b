// The messages between the store and its threads.
import type { LogFields, LogLevel } from '../platform/log.ts'
import type { BackupTask } from './backup-tasks.ts'
import type { Restored } from './restore.ts'
import type { StoreErrorData } from './store-error.ts'

export type ThreadData =
  | { role: 'writer' | 'reader'; dataDir: string }
  /** Ends after its one task. */
  | { role: 'backup'; dataDir: string; task: BackupTask }

export interface Call {
  id: number
  op: string
  /** Arguments of the operation after the connection. */
  args: unknown[]
}

export type ToThread = Call | 'close'

export type Reply = { id: number; value: unknown } | { id: number; error: StoreErrorData }

export type FromThread =
  | { type: 'ready'; restored: Restored | null }
  /** The thread could not start; it ends now. */
  | { type: 'refused'; error: StoreErrorData }
  | { type: 'log'; level: LogLevel; message: string; fields: LogFields }
  | { type: 'replies'; replies: Reply[] }
  /** The result of a thread's one task. */
  | { type: 'done'; value: unknown }
