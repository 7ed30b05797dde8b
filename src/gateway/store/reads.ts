// The operations of the reader thread.

import { checkDamage, isCheckDue } from './engine/damage-check.ts'
import { listActivity } from './ledger/activity.ts'
import { getConfirmation } from './ledger/cost-confirmation.ts'
import { checkTotals } from './ledger/maintenance.ts'
import { pastModels, pastSessions, pastSlots, pastSteps } from './past-spend.ts'
import { getReconciliation, listReconciliations } from './reconciliations.ts'
import { groupRequests } from './request-groups.ts'
import { getBodies, getRequest, listRequests } from './request-log.ts'
import { requestTotals } from './request-totals.ts'
import { getSession, getSessions, listSessions, recentSessions } from './sessions.ts'
import { loadState } from './settings/settings.ts'
import { listSorted } from './sorted-requests.ts'
import { sessionSpend, spendIn } from './spend-sums.ts'
import { usage } from './usage.ts'

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
