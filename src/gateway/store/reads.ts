// The operations of the reader thread.
import { checkDamage, isCheckDue } from './damage-check.ts'
import { checkTotals } from './maintenance.ts'
import { getBodies, getRequest, listRequests } from './request-log.ts'
import { loadState } from './settings.ts'
import { spendIn, usage } from './usage.ts'

export const reads = {
  isCheckDue,
  checkDamage,
  loadState,
  checkTotals,
  listRequests,
  getRequest,
  getBodies,
  spendIn,
  usage,
}
