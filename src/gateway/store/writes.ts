// The operations of the writer thread. Each one is atomic.
import { confirmCost } from './cost-confirmation.ts'
import { claimIdempotency, dropIdempotency, finishIdempotency, sweepIdempotency } from './idempotency.ts'
import { insertKey, revokeKey, touchKeys, updateKey } from './keys.ts'
import {
  countRefused,
  openRequest,
  recordRefused,
  recordSettled,
  settleRequest,
  settleRequests,
} from './ledger.ts'
import { pruneRequests, settleAbandoned } from './maintenance.ts'
import {
  deleteModelOverride,
  deleteProvider,
  putModelOverride,
  putProvider,
  replaceProviderModels,
} from './providers.ts'
import { setRollupTimeZone } from './rollup-days.ts'
import { putSettings } from './settings.ts'
import { deleteBodies, deleteBodiesOf, pruneToSize, releaseFreePages } from './space.ts'

export const writes = {
  insertKey,
  updateKey,
  revokeKey,
  touchKeys,
  openRequest,
  settleRequest,
  settleRequests,
  recordSettled,
  confirmCost,
  recordRefused,
  countRefused,
  settleAbandoned,
  pruneRequests,
  pruneToSize,
  deleteBodies,
  deleteBodiesOf,
  releaseFreePages,
  setRollupTimeZone,
  putProvider,
  deleteProvider,
  replaceProviderModels,
  putModelOverride,
  deleteModelOverride,
  putSettings,
  claimIdempotency,
  finishIdempotency,
  dropIdempotency,
  sweepIdempotency,
}
