// The operations of the writer thread. Each one is atomic.

import { noteCheck } from './engine/damage-check.ts'
import { deleteBodies, deleteBodiesOf, pruneSessions, pruneToSize, releaseFreePages } from './engine/space.ts'
import type { Db } from './engine/statement.ts'
import type { Combined } from './engine/worker-loop.ts'
import { addActivity, markActivitySeen, sweepActivity } from './ledger/activity.ts'
import { confirmCost } from './ledger/cost-confirmation.ts'
import { loadHolds, removeHold } from './ledger/holds.ts'
import {
  claimIdempotency,
  dropIdempotency,
  finishIdempotency,
  sweepIdempotency,
} from './ledger/idempotency.ts'
import {
  openRequest,
  recordRequests,
  recordSettled,
  type Settlement,
  settleRequest,
} from './ledger/ledger.ts'
import { pruneRequests, settleAbandoned } from './ledger/maintenance.ts'
import { countRefused, recordRefused } from './ledger/refused-requests.ts'
import { deleteReconciliation, putReconciliation } from './listings/reconciliations.ts'
import { insertKey, pauseKey, revokeKey, touchKeys, updateKey } from './settings/keys.ts'
import {
  deleteModelOverride,
  deleteProvider,
  putModelOverride,
  putProvider,
  replaceProviderModels,
} from './settings/providers.ts'
import { putSettings } from './settings/settings.ts'
import { setRollupTimeZone } from './sums/rollup-days.ts'

/** The caller knows what it charged, so nothing is sent back. */
function settle(db: Db, settlement: Settlement): void {
  settleRequest(db, settlement)
}

export const writes = {
  insertKey,
  updateKey,
  revokeKey,
  pauseKey,
  touchKeys,
  openRequest,
  settleRequest: settle,
  recordSettled,
  confirmCost,
  loadHolds,
  removeHold,
  putReconciliation,
  deleteReconciliation,
  recordRefused,
  countRefused,
  settleAbandoned,
  pruneRequests,
  pruneSessions,
  pruneToSize,
  deleteBodies,
  deleteBodiesOf,
  releaseFreePages,
  noteCheck,
  setRollupTimeZone,
  putProvider,
  deleteProvider,
  replaceProviderModels,
  putModelOverride,
  deleteModelOverride,
  putSettings,
  addActivity,
  markActivitySeen,
  sweepActivity,
  claimIdempotency,
  finishIdempotency,
  dropIdempotency,
  sweepIdempotency,
}

/** Most batches have several of these. */
export const combined: Combined = {
  operations: ['openRequest', 'settleRequest'],
  run: recordRequests,
}
