// Owns how an admitted request is answered and settled: plain, streamed, or failed. The charge is durable before the
// last bytes leave.
import type { ErrorBody } from '../../shared/errors.ts'
import type { Attempt } from '../../shared/requests.ts'
import type { Offer } from '../catalog/offers.ts'
import type { DispatchFailure } from '../upstream/dispatch.ts'
import { UpstreamFailure } from '../upstream/failure.ts'
import type { Admitted, ChatRooms } from './call.ts'
import type { ChatEvent, PlainAnswer, StreamAnswer } from './events.ts'
import {
  chunkFrame,
  completionBody,
  DONE,
  errorBody,
  errorFrame,
  type Identity,
  usageFrame,
  withCost,
} from './frames.ts'
import type { Charge } from './meter.ts'
import { StreamNormaliser } from './normalise.ts'
import { costHeaders, settle, statusOf, tell } from './outcome.ts'

/** Who answered, and what it took to get there. */
export interface Served {
  offer: Offer
  attempts: Attempt[]
  firstByteMs: number
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' }
const COST_TRAILERS = 'X-Service-Tokens-In, X-Service-Tokens-Out, X-Service-Cost-Usd'

export async function answerPlain(
  admitted: Admitted,
  served: Served,
  answer: PlainAnswer,
  rooms: ChatRooms,
): Promise<void> {
  const { meter, call } = admitted
  const { offer } = served
  meter.completion(answer.completion)
  if (answer.usage) meter.reported(answer.usage)
  await meter.prepare(null)
  const charge = meter.consumed(offer)
  const usage = meter.reportedUsage?.asChatUsage ?? meter.estimatedChatUsage(charge)
  const identity = { id: call.requestId, model: offer.id }
  const body = completionBody(answer.completion, identity, withCost(usage, charge.costNano))
  const headers = {
    ...JSON_TYPE,
    ...admitted.rate.headers,
    'x-service-model': offer.id,
    ...costHeaders(charge),
  }
  await settle(admitted, rooms, {
    ...outcomeOf(served, charge),
    status: 'succeeded',
    httpStatus: 200,
    error: null,
    kept: { status: 200, headers, body },
  })
  call.reply.whole(200, headers, body)
}

export async function answerStream(
  admitted: Admitted,
  served: Served,
  answer: StreamAnswer,
  rooms: ChatRooms,
): Promise<void> {
  const { call, meter, signal } = admitted
  const { reply, request } = call
  const identity: Identity = { id: call.requestId, model: served.offer.id }
  const created = Math.floor(rooms.clock.now() / 1000)
  const head = { ...admitted.rate.headers, 'x-service-model': served.offer.id }
  reply.begin({ ...head, trailer: COST_TRAILERS })
  const failure = await relay(admitted, answer, identity, created)
  await meter.prepare(failure)
  const charge =
    failure && !meter.hasOutput
      ? meter.unanswered(served.offer, failure, admitted.entry.reservation.amount)
      : meter.consumed(served.offer, failure !== null)
  const trailers = costHeaders(charge)
  const told = failure && tell(failure, signal)
  const usage = withCost(
    meter.reportedUsage?.asChatUsage ?? meter.estimatedChatUsage(charge),
    charge.costNano,
  )
  const wantsUsage = request.stream_options?.include_usage === true
  const last = told ? errorFrame(told.error) : (wantsUsage ? usageFrame(identity, created, usage) : '') + DONE
  await settle(admitted, rooms, {
    ...outcomeOf(served, charge),
    status: statusOf(failure, signal),
    httpStatus: 200,
    error: told?.error ?? null,
    kept: { status: 200, headers: { ...STREAM_TYPE, ...head, ...trailers }, body: reply.recorded + last },
  })
  if (told) reply.breakOff(last, trailers)
  else reply.end(last, trailers)
}

/** No target answered. The client gets the status that says why, unless it is no longer there. */
export async function answerFailure(
  admitted: Admitted,
  offer: Offer | null,
  { failure, attempts }: DispatchFailure,
  rooms: ChatRooms,
): Promise<void> {
  const { call, meter, entry, signal } = admitted
  await meter.prepare(failure)
  const charge = meter.unanswered(offer, failure, entry.reservation.amount)
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

/** A fault of ours, after the request was written down: whatever was not settled yet is, so that nothing stays reserved. */
export async function settleFault(admitted: Admitted, offer: Offer | null, rooms: ChatRooms): Promise<void> {
  const error: ErrorBody = { type: 'server_error', message: 'Something went wrong inside Tollgate.' }
  const failure = new UpstreamFailure({ kind: 'aborted', message: error.message })
  const { meter, entry } = admitted
  await meter.prepare(failure)
  await settle(admitted, rooms, {
    charge:
      offer && meter.hasOutput
        ? meter.consumed(offer, true)
        : meter.unanswered(offer, failure, entry.reservation.amount),
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

/** Passes a stream on to the client, chunk by chunk at the client's pace. Null when it came to its proper end. */
async function relay(
  admitted: Admitted,
  answer: StreamAnswer,
  identity: Identity,
  created: number,
): Promise<UpstreamFailure | null> {
  const { meter, call } = admitted
  const normaliser = new StreamNormaliser({ ...identity, created })
  for await (const upstreamEvent of answer.events) {
    for (const event of normaliser.next(upstreamEvent)) {
      const end = await pass(event)
      if (end !== undefined) return end
    }
  }
  return new UpstreamFailure({ kind: 'malformed', message: 'The stream ended without its end mark.' })

  async function pass(event: ChatEvent): Promise<UpstreamFailure | null | undefined> {
    switch (event.type) {
      case 'chunk':
        meter.chunk(event.chunk)
        await call.reply.write(chunkFrame(event.chunk, event.raw, identity))
        return undefined
      case 'usage':
        meter.reported(event.usage)
        return undefined
      case 'done':
        return null
      case 'failed':
        return event.failure
    }
  }
}

function outcomeOf({ offer, attempts, firstByteMs }: Served, charge: Charge) {
  return { charge, model: offer.id, provider: offer.providerId, attempts, firstByteMs }
}

const STREAM_TYPE = { 'content-type': 'text/event-stream; charset=utf-8' }
