// The operations of the writer thread. Each one is atomic.

import { checkDamage, isCheckDue, noteCheck } from './engine/connection.ts'
import {
  deleteBodies,
  deleteRequestBodies,
  pruneSessions,
  pruneToSize,
  releaseFreePages,
} from './engine/space.ts'
import type { CombinedOperations } from './engine/worker-loop.ts'
import { addActivity, listActivity, markActivitySeen, sweepActivity } from './ledger/activity.ts'
import { confirmCost, getConfirmation } from './ledger/cost-confirmation.ts'
import {
  claimIdempotency,
  dropIdempotency,
  finishIdempotency,
  sweepIdempotency,
} from './ledger/idempotency.ts'
import {
  countRefused,
  loadHolds,
  openRequest,
  recordRefused,
  recordRequests,
  recordSettled,
  removeHold,
  settleRequest,
} from './ledger/ledger.ts'
import { checkTotals, pruneRequests, settleAbandoned } from './ledger/maintenance.ts'
import {
  deleteReconciliation,
  getReconciliation,
  listReconciliations,
  putReconciliation,
} from './listings/reconciliations.ts'
import { groupRequests } from './listings/request-groups.ts'
import { getBodies, getRequest, listRequests, listSorted } from './listings/request-log.ts'
import { requestTotals } from './listings/request-totals.ts'
import { getSession, getSessions, listSessions, recentSessions } from './listings/sessions.ts'
import { insertKey, pauseKey, revokeKey, touchKeys, updateKey } from './settings/keys.ts'
import {
  deleteModelOverride,
  deleteProvider,
  putModelOverride,
  putProvider,
  replaceProviderModels,
} from './settings/providers.ts'
import { loadState, putSettings } from './settings/settings.ts'
import { setRollupTimeZone } from './sums/rollup-columns.ts'
import { pastModels, pastSessions, pastSlots, pastSteps, sessionSpend, spendIn } from './sums/spend-sums.ts'
import { usage } from './sums/usage.ts'

export const writes = {
  insertKey,
  updateKey,
  revokeKey,
  pauseKey,
  touchKeys,
  openRequest,
  settleRequest,
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
  deleteRequestBodies,
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
export const combined: CombinedOperations = {
  operations: ['openRequest', 'settleRequest'],
  run: recordRequests,
}

// The operations of the reader thread.

export const reads = {
  isCheckDue,
  checkDamage,
  loadState,
  recentSessions,
  getSession,
  getSessions,
  listSessions,
  checkTotals,
  listRequests,
  groupRequests,
  listSorted,
  requestTotals,
  getRequest,
  getBodies,
  getConfirmation,
  getReconciliation,
  listReconciliations,
  spendIn,
  pastModels,
  pastSlots,
  pastSessions,
  pastSteps,
  sessionSpend,
  listActivity,
  usage,
  /** The usage of sessions, counted from rows. */
  usageOfSessions: usage,
}
