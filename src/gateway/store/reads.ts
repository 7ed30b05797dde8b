// The operations of the reader thread.

import { checkDamage, isCheckDue } from './engine/damage-check.ts'
import { listActivity } from './ledger/activity.ts'
import { getConfirmation } from './ledger/cost-confirmation.ts'
import { checkTotals } from './ledger/maintenance.ts'
import { getReconciliation, listReconciliations } from './listings/reconciliations.ts'
import { groupRequests } from './listings/request-groups.ts'
import { getBodies, getRequest, listRequests } from './listings/request-log.ts'
import { requestTotals } from './listings/request-totals.ts'
import { getSession, getSessions, listSessions, recentSessions } from './listings/sessions.ts'
import { listSorted } from './listings/sorted-requests.ts'
import { loadState } from './settings/settings.ts'
import { pastModels, pastSessions, pastSlots, pastSteps } from './sums/past-spend.ts'
import { sessionSpend, spendIn } from './sums/spend-sums.ts'
import { usage } from './sums/usage.ts'

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
  /** The same, for what is counted from rows. */
  usageOfSessions: usage,
}
