// The end of a request that nobody answered: what it is charged, and what the client is told. The charge and the words
// need not come from the same try: the last one says why there is no answer, the dearest one what may be billed.
import type { ErrorBody } from '../../shared/errors.ts'
import { ZERO_USD } from '../../shared/money.ts'
import type { PlainAnswer } from '../formats/events.ts'
import { mayBeBilled, type UpstreamFailure } from '../formats/upstream-failure.ts'
import type { DispatchFailure } from '../routing/dispatch.ts'
import type { Admitted, InferenceDeps } from './call.ts'
import type { Candidate } from './candidates.ts'
import { addCharges, type Charge, FREE } from './charge.ts'
import { errorBody } from './frames.ts'
import { JSON_TYPE, settle, statusOf, tell } from './settlement.ts'
import { mostCost } from './worst-case.ts'

/** A try that came to nothing, with the candidate that it was made for. */
export interface FailedCandidate {
  candidate: Candidate
  failure: UpstreamFailure
  /** Choices that were answered all the same. */
  answered: readonly PlainAnswer[]
}

/** Nobody's charge has no candidate. */
export interface FailedCharge {
  charge: Charge
  candidate: Candidate | null
}

/**
 * What the failed tries of a request come to: the choices that were answered, and where a provider may have worked and
 * lets nobody know, the dearest of those tries. A request is charged once, however often it was tried.
 */
export async function chargeUnanswered(
  { meter, discountPercent }: Pick<Admitted, 'meter' | 'discountPercent'>,
  failed: readonly FailedCandidate[],
): Promise<FailedCharge> {
  const answered = await chargeAnswered(meter, failed)
  const billable = failed.filter(({ failure }) => mayBeBilled(failure))
  if (billable.length === 0) return answered
  await meter.prepare()
  const { charge, candidate } = billable
    .map(({ candidate, failure }) => {
      const most = mostCost(candidate.offer, candidate.bound, candidate.bound.output, discountPercent)
      return { candidate, charge: meter.unsettled(candidate, failure.usage, most) }
    })
    .reduce((dearest, each) => (known(each.charge) >= known(dearest.charge) ? each : dearest))
  return { charge: addCharges(charge, answered.charge), candidate }
}

/** What the choices come to that were answered before the others failed for good. */
export async function chargeAnswered(
  meter: Admitted['meter'],
  failed: readonly FailedCandidate[],
): Promise<FailedCharge> {
  let all: FailedCharge = { charge: FREE, candidate: null }
  for (const { candidate, answered } of failed) {
    for (const answer of answered) {
      all = { charge: addCharges(all.charge, await meter.answered(candidate, answer)), candidate }
    }
  }
  return all
}

/** No target answered. The client gets the status that says why, unless it is no longer there. */
export async function answerFailure(
  admitted: Admitted,
  failed: readonly FailedCandidate[],
  { failure, attempts }: DispatchFailure,
  deps: InferenceDeps,
): Promise<void> {
  const { call, inFlight } = admitted
  const { charge, candidate: charged } = await chargeUnanswered(admitted, failed)
  const offer = (charged ?? failed.at(-1)?.candidate)?.offer ?? null
  const told = tell(failure, inFlight.signal)
  const body = errorBody(told.error)
  const retryAfter =
    told.retryAfterSeconds === undefined ? {} : { 'retry-after': String(told.retryAfterSeconds) }
  const headers = { ...JSON_TYPE, ...admitted.rate.headers, ...retryAfter }
  await settle(admitted, deps, {
    charge,
    model: offer?.id ?? null,
    provider: offer?.providerId ?? null,
    attempts,
    firstByteMs: null,
    status: statusOf(failure, inFlight.signal),
    httpStatus: told.status,
    error: told.error,
    reached: failed.some(({ failure: { sent } }) => sent),
    kept: { status: told.status, headers, body },
  })
  if (!call.stream.signal.aborted) call.stream.send(told.status, headers, body)
}

/**
 * A fault of ours, after the request was written down: whatever was not settled yet is, so that nothing stays reserved.
 * Never throws: the fault itself is what is reported.
 */
export async function settleFault(admitted: Admitted, deps: InferenceDeps): Promise<void> {
  const error: ErrorBody = { type: 'server_error', message: 'Something went wrong inside Tollgate.' }
  const offer = (admitted.serving ?? admitted.candidates[0])?.offer ?? null
  const outcome = {
    charge: chargeAfterFault(admitted),
    model: offer?.id ?? null,
    provider: offer?.providerId ?? null,
    attempts: [],
    firstByteMs: null,
    status: 'failed' as const,
    httpStatus: 500,
    error,
  }
  try {
    await settle(admitted, deps, {
      ...outcome,
      reached: true,
      kept: { status: 500, headers: JSON_TYPE, body: errorBody(error) },
    })
  } catch {
    // What failed may be the very parts that settling needs: the ledger alone is left.
    await deps.ledger.settle(admitted.entry, { ...outcome, totalMs: 0 }).catch(() => undefined)
  } finally {
    deps.budget.release(admitted.entry.reservation)
  }
}

/** Without a look at anything that may have caused the fault, where the usual way fails. */
function chargeAfterFault({ meter, entry, serving, candidates }: Admitted): Charge {
  const candidate = serving ?? candidates[0]
  const reserved = entry.reservation.amount
  try {
    if (!candidate) return FREE
    return serving && meter.hasOutput
      ? meter.consumed(serving, true)
      : meter.unsettled(candidate, null, reserved)
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

/** An unknown cost counts less than any that is known. */
function known({ costNano }: Charge): number {
  return costNano ?? -1
}
