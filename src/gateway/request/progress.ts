import { nanoToUsd } from '../../shared/money.ts'
import type { RunningRequest } from '../../shared/requests.ts'
import type { Clock } from '../platform/clock.ts'
import type { Admitted } from './call.ts'

/** What has come of a request until now, and what it would be charged if it ended. Only the ledger has what it costs in the end. */
export function describeProgress(
  { call: { key, request }, calling, serving, entry, meter, startedAt }: Admitted,
  clock: Clock,
): RunningRequest {
  const candidate = serving ?? calling
  const { tokensIn, tokensOut, costNano } = meter.chargeOf(candidate, true)
  return {
    id: entry.request.id,
    createdAt: new Date(entry.request.createdAt).toISOString(),
    elapsedMs: Math.round(clock.monotonic() - startedAt),
    keyId: key.id,
    keyName: key.name,
    requestedModel: request.model,
    model: candidate.offer.id,
    provider: candidate.offer.providerId,
    tokensIn,
    tokensOut,
    costUsd: costNano === null ? null : nanoToUsd(costNano),
    reservedUsd: nanoToUsd(entry.reservation.amount),
  }
}
