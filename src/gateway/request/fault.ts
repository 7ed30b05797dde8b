import type { ErrorBody } from '../../shared/errors.ts'
import { type NanoUsd, subtractUsd, ZERO_USD } from '../../shared/money.ts'
import type { Admitted, InferenceDeps } from './call.ts'
import { type Charge, FREE } from './charge.ts'
import { likelyUnseen } from './failed-charge.ts'
import { JSON_TYPE, settle } from './settle.ts'

/**
 * Settles a request that is not settled yet when Tollgate itself fails, so that nothing stays reserved. Never throws: the
 * fault itself is what is reported.
 */
export async function settleFault(admitted: Admitted, deps: InferenceDeps): Promise<void> {
  const error: ErrorBody = { type: 'server_error', message: 'Something went wrong inside Tollgate.' }
  const offer = (admitted.serving ?? admitted.candidates[0])?.offer ?? null
  const charge = chargeFault(admitted, deps)
  const outcome = {
    charge,
    heldNano: heldAfterFault(charge),
    model: offer?.id ?? null,
    provider: offer?.providerId ?? null,
    attempts: [],
    firstByteMs: null,
    status: 'failed' as const,
    httpStatus: 500,
    error,
  }
  try {
    const { codec, requestId } = admitted.call
    const body = JSON.stringify(codec.errorBody(error, 500, requestId))
    const response = { status: 500, headers: JSON_TYPE, body }
    await settle(admitted, { ...outcome, reached: true, response }, deps)
  } catch {
    // The fault may be in a part that settling needs, so this uses only the ledger.
    await deps.ledger.settle(admitted.entry, { ...outcome, totalMs: 0 }).catch(() => undefined)
  } finally {
    // What the ledger holds stays reserved.
    const { reservation } = admitted.entry
    if (!reservation.held) deps.budget.release(reservation)
  }
}

function heldAfterFault({ costNano, costHighNano }: Charge): NanoUsd {
  return costNano === null || costHighNano === null ? ZERO_USD : subtractUsd(costHighNano, costNano)
}

/** Where even the meter fails, the reserved amount. */
function chargeFault(
  { call, meter, entry, serving, candidates }: Admitted,
  { forecast }: InferenceDeps,
): Charge {
  const candidate = serving ?? candidates[0]
  const reserved = entry.reservation.amount
  try {
    if (!candidate) return FREE
    if (serving && meter.hasOutput) return meter.chargeOf(serving, true)
    const likely = likelyUnseen(candidate, call, forecast)
    return meter.unsettledCharge(candidate, null, { likely, max: reserved })
  } catch {
    return {
      ...FREE,
      costNano: reserved,
      costStatus: 'unsettled',
      costLowNano: ZERO_USD,
      costHighNano: reserved,
    }
  }
}
