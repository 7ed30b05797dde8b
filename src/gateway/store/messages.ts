// Owns what passes between the store and its threads.
import type { Restored } from './calls.ts'
import type { StoreErrorData } from './store-error.ts'

export interface ThreadData {
  role: 'writer' | 'reader' | 'backup'
  dataDir: string
}

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
  /** The thread could not begin; it ends now. */
  | { type: 'refused'; error: StoreErrorData }
  | { type: 'log'; level: 'info' | 'warn' | 'error'; message: string }
  /** `commits` is the writer's count so far. */
  | { type: 'replies'; replies: Reply[]; commits: number }
  | { type: 'backup'; path: string }
