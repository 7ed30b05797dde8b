import type { Network } from '../../../shared/api/account.ts'
import { UpstreamFailure } from '../../formats/chat/failure.ts'
import { unlessAborted } from '../../platform/wait.ts'
import { CREDENTIALS_UNAVAILABLE } from '../client-error.ts'
import type { UpstreamPool } from '../connection-pool.ts'

/** A request before it carries a credential. */
export interface UnauthorizedRequest {
  method: 'GET' | 'POST' | 'DELETE'
  url: string
  headers: Readonly<Record<string, string>>
  body: string | Buffer | null
  /** Null or absent: as the settings say. */
  network?: Network | null
}

/**
 * The headers that authorize the request. `credential` is null for a login that other programs keep on this machine.
 * Throws UpstreamFailure of the kind `credential`.
 */
export type AuthorizationMethod = (
  request: UnauthorizedRequest,
  credential: string | null,
  pool: UpstreamPool,
) => Record<string, string> | Promise<Record<string, string>>

/** The longest time for a login, including its calls to other hosts. */
export const LOGIN_TIMEOUT_MS = 20_000

/** Rejects with a TimeoutError after `LOGIN_TIMEOUT_MS`. */
export function inTime<T>(promise: Promise<T>): Promise<T> {
  return unlessAborted(promise, AbortSignal.timeout(LOGIN_TIMEOUT_MS))
}

/** The failure of a credential that the vendor rejected, or that has the wrong form. */
export function rejectedCredential(message: string): UpstreamFailure {
  return new UpstreamFailure({ kind: 'credential', message, sent: false })
}

/** The failure of a credential that cannot be used now, and may be right. */
export function unavailableCredential(message: string): UpstreamFailure {
  return new UpstreamFailure({ kind: 'credential', code: CREDENTIALS_UNAVAILABLE, message, sent: false })
}
