// The operations of the writer thread. Each one is atomic.

import * as connection from './engine/connection.ts'
import * as space from './engine/space.ts'
import type { CombinedOperations } from './engine/worker-loop.ts'
import * as activity from './ledger/activity.ts'
import * as costConfirmation from './ledger/cost-confirmation.ts'
import * as idempotency from './ledger/idempotency.ts'
import * as ledger from './ledger/ledger.ts'
import * as maintenance from './ledger/maintenance.ts'
import * as reconciliations from './listings/reconciliations.ts'
import * as requestGroups from './listings/request-groups.ts'
import * as requestLog from './listings/request-log.ts'
import * as requestTotals from './listings/request-totals.ts'
import * as sessions from './listings/sessions.ts'
import * as keys from './settings/keys.ts'
import * as providers from './settings/providers.ts'
import * as settings from './settings/settings.ts'
import * as rollupColumns from './sums/rollup-columns.ts'
import * as spendSums from './sums/spend-sums.ts'
import * as usage from './sums/usage.ts'

export const writes = {
  insertKey: keys.insertKey,
  updateKey: keys.updateKey,
  revokeKey: keys.revokeKey,
  pauseKey: keys.pauseKey,
  touchKeys: keys.touchKeys,
  openRequest: ledger.openRequest,
  settleRequest: ledger.settleRequest,
  recordSettled: ledger.recordSettled,
  confirmCost: costConfirmation.confirmCost,
  loadHolds: ledger.loadHolds,
  removeHold: ledger.removeHold,
  putReconciliation: reconciliations.putReconciliation,
  deleteReconciliation: reconciliations.deleteReconciliation,
  recordRefused: ledger.recordRefused,
  countRefused: ledger.countRefused,
  settleAbandoned: maintenance.settleAbandoned,
  pruneRequests: maintenance.pruneRequests,
  ...space,
  noteCheck: connection.noteCheck,
  setRollupTimeZone: rollupColumns.setRollupTimeZone,
  putProvider: providers.putProvider,
  deleteProvider: providers.deleteProvider,
  replaceProviderModels: providers.replaceProviderModels,
  putModelOverride: providers.putModelOverride,
  deleteModelOverride: providers.deleteModelOverride,
  putSettings: settings.putSettings,
  addActivity: activity.addActivity,
  markActivitySeen: activity.markActivitySeen,
  sweepActivity: activity.sweepActivity,
  ...idempotency,
}

/** Most batches have several of these. */
export const combined: CombinedOperations = {
  operations: ['openRequest', 'settleRequest'],
  run: ledger.recordRequests,
}

// The operations of the reader thread.

export const reads = {
  isCheckDue: connection.isCheckDue,
  checkDamage: connection.checkDamage,
  loadState: settings.loadState,
  recentSessions: sessions.recentSessions,
  getSession: sessions.getSession,
  getSessions: sessions.getSessions,
  listSessions: sessions.listSessions,
  checkTotals: maintenance.checkTotals,
  listRequests: requestLog.listRequests,
  groupRequests: requestGroups.groupRequests,
  listSorted: requestLog.listSorted,
  requestTotals: requestTotals.requestTotals,
  getRequest: requestLog.getRequest,
  getBodies: requestLog.getBodies,
  getConfirmation: costConfirmation.getConfirmation,
  getReconciliation: reconciliations.getReconciliation,
  listReconciliations: reconciliations.listReconciliations,
  spendIn: spendSums.spendIn,
  pastModels: spendSums.pastModels,
  pastSlots: spendSums.pastSlots,
  pastSessions: spendSums.pastSessions,
  pastSteps: spendSums.pastSteps,
  sessionSpend: spendSums.sessionSpend,
  listActivity: activity.listActivity,
  usage: usage.usage,
  /** The usage of sessions, counted from rows. */
  usageOfSessions: usage.usage,
}
