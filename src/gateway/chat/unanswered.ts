// Owns the end of a request that nobody answered: what it is charged, and what the client is told. The charge and the
// words need not come from the same try: the last one says why there is no answer, the dearest one what may be billed.
import type { ErrorBody } from '../../shared/errors.ts'
import type { NanoUsd } from '../../shared/money.ts'
import type { Offer } from '../catalog/offers.ts'
import type { DispatchFailure } from '../upstream/dispatch.ts'
import { mayBeBilled, type UpstreamFailure } from '../upstream/failure.ts'
import type { Admitted, ChatRooms } from './call.ts'
import { errorBody } from './frames.ts'
import { type Charge, FREE, type Meter } from './meter.ts'
import { JSON_TYPE, settle, statusOf, tell } from './outcome.ts'

/** A try that came to nothing, with the offer that it was made for. */
export interface FailedOffer {
  offer: Offer
  failure: UpstreamFailure
}

/**
 * What the failed tries of a request come to: nothing, unless a provider may have worked and lets nobody know. A request
 * is charged once, so among several of those the dearest counts; `offer` is the one that the charge is for.
 */
export async function chargeUnanswered(
  meter: Meter,
  failed: readonly FailedOffer[],
  reserved: NanoUsd,
): Promise<{ charge: Charge; offer: Offer | null }> {
  const billable = failed.filter(({ failure }) => mayBeBilled(failure))
  if (billable.length === 0) return { charge: FREE, offer: null }
  await meter.prepare()
  return billable
    .map(({ offer }) => ({ offer, charge: meter.unsettled(offer, reserved) }))
    .reduce((dearest, each) => (known(each.charge) >= known(dearest.charge) ? each : dearest))
}

/** No target answered. The client gets the status that says why, unless it is no longer there. */
export async function answerFailure(
  admitted: Admitted,
  failed: readonly FailedOffer[],
  { failure, attempts }: DispatchFailure,
  rooms: ChatRooms,
): Promise<void> {
  const { call, meter, entry, signal } = admitted
  const { charge, offer: charged } = await chargeUnanswered(meter, failed, entry.reservation.amount)
  const offer = charged ?? failed.at(-1)?.offer ?? null
  const told = tell(failure, signal)
  const body = errorBody(told.error)
  const retryAfter =
    told.retryAfterSeconds === undefined ? {} : { 'retry-after': String(told.retryAfterSeconds) }
  const headers = { ...JSON_TYPE, ...admitted.rate.headers, ...retryAfter }
  await settle(admitted, rooms, {
    charge,
    model: offer?.id ?? null,
    provider: offer?.providerId ?? null,
    attempts,
    firstByteMs: null,
    status: statusOf(failure, signal),
    httpStatus: told.status,
    error: told.error,
    kept: { status: told.status, headers, body },
  })
  if (!call.reply.signal.aborted) call.reply.whole(told.status, headers, body)
}

/**
 * A fault of ours, after the request was written down: whatever was not settled yet is, so that nothing stays reserved.
 * `offer`: who was answering; null when nobody was.
 */
export async function settleFault(admitted: Admitted, offer: Offer | null, rooms: ChatRooms): Promise<void> {
  const error: ErrorBody = { type: 'server_error', message: 'Something went wrong inside Tollgate.' }
  await settle(admitted, rooms, {
    charge: offer ? await chargeCut(admitted, offer) : FREE,
    model: offer?.id ?? null,
    provider: offer?.providerId ?? null,
    attempts: [],
    firstByteMs: null,
    status: 'failed',
    httpStatus: 500,
    error,
    kept: { status: 500, headers: JSON_TYPE, body: errorBody(error) },
  })
}

async function chargeCut({ meter, entry }: Admitted, offer: Offer): Promise<Charge> {
  await meter.prepare()
  return meter.hasOutput ? meter.consumed(offer, true) : meter.unsettled(offer, entry.reservation.amount)
}

/** An unknown cost counts less than any that is known. */
function known({ costNano }: Charge): number {
  return costNano ?? -1
}
