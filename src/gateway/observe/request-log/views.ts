import { type NanoUsd, nanoToUsd, ZERO_USD } from '../../../shared/money.ts'
import type { RequestRecord } from '../../../shared/requests.ts'
import { hasSamplePrices } from '../../../shared/sandbox.ts'
import { type Hold, INITIAL_ROW, type StoredRequest } from '../../store/store.ts'
import { clientName } from '../../store/sums/client-name.ts'
import type { Rejection } from './rejections.ts'

/** The row, in the API's units and without what only the ledger needs. */
export function requestView(row: StoredRequest, keyName: string, hold: Hold | null): RequestRecord {
  const { seq: _seq, estimateNano: _estimate, settledAt: _settledAt, needs: _needs, ...rest } = row
  const { queueMs, firstByteMs, totalMs, ...shown } = rest
  const { costNano, costLowNano, costHighNano, reservedNano, createdAt, lastAt, ...record } = shown
  return {
    ...record,
    createdAt: iso(createdAt),
    lastAt: lastAt === null ? null : iso(lastAt),
    keyName,
    clientName: clientName(record.client) || null,
    costUsd: usd(costNano),
    sample: hasSamplePrices(record.provider),
    costLowUsd: usd(costLowNano),
    costHighUsd: usd(costHighNano),
    reservedUsd: nanoToUsd(reservedNano),
    heldUsd: hold && nanoToUsd(hold.nano),
    heldUntil: hold && iso(hold.until),
    timings: { queueMs, firstByteMs, totalMs },
  }
}

/** No upstream was called, so nothing was consumed and nothing took time. */
export function rejectionView(rejection: Rejection, keyName: string): RequestRecord {
  const { requestedModel, ...row } = rejection
  const view = requestView(
    {
      ...INITIAL_ROW,
      ...row,
      requestedModel: '',
      status: 'rejected',
      costNano: ZERO_USD,
      costStatus: 'free',
      reservedNano: ZERO_USD,
      estimateNano: null,
      seq: 0,
      bodiesKept: false,
    },
    keyName,
    null,
  )
  return { ...view, requestedModel }
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}

function usd(nano: NanoUsd | null): number | null {
  return nano === null ? null : nanoToUsd(nano)
}
