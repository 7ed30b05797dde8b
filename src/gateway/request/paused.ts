import type { AccountService } from '../billing/account.ts'
import type { KeyState } from '../keys/key-state.ts'
import { RequestAborted } from './in-flight.ts'

/** Why a request of the key may not be sent to a provider now; null if it may. */
export function findPause(
  key: KeyState,
  { pausedAt }: Pick<AccountService, 'pausedAt'>,
): RequestAborted | null {
  if (pausedAt !== null) return paused('paused', ALL_PAUSED)
  return key.pausedAt === null ? null : keyPaused(key)
}

function keyPaused({ name, pauseReason }: KeyState): RequestAborted {
  const why = pauseReason === null ? 'is paused.' : `is paused: ${pauseReason}`
  return paused('key_paused', `The key "${name}" ${why} Resume it in Tollgate under Keys to continue.`)
}

const ALL_PAUSED =
  'Tollgate is paused: no request is sent to a model until you choose Resume in its window, its menu or its tray icon.'

/** Another attempt would be refused as well, until the user resumes. */
function paused(code: 'paused' | 'key_paused', message: string): RequestAborted {
  return new RequestAborted(403, { type: 'permission_error', code, message }, { 'x-should-retry': 'false' })
}
