// The operations of the reader thread.
import { checkTotals } from './maintenance.ts'
import { getBodies, getRequest, listRequests } from './request-log.ts'
import { loadState } from './settings.ts'
import { spendIn, usage } from './usage.ts'

export const reads = {
  loadState,
  checkTotals,
  listRequests,
  getRequest,
  getBodies,
  spendIn,
  usage,
}
