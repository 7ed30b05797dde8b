// Owns how an admitted request is answered and settled, plain or streamed. The charge is durable before the last bytes
// leave. What nobody answered ends in `unanswered.ts`.
import type { Attempt } from '../../shared/requests.ts'
import type { Offer } from '../catalog/offers.ts'
import { UpstreamFailure } from '../upstream/failure.ts'
import type { Admitted, ChatRooms } from './call.ts'
import type { ChatEvent, PlainAnswer, StreamAnswer } from './events.ts'
import {
  chunkFrame,
  completionBody,
  DONE,
  errorFrame,
  type Identity,
  usageFrame,
  withCost,
} from './frames.ts'
import type { Charge } from './meter.ts'
import { StreamNormaliser } from './normalise.ts'
import { costHeaders, JSON_TYPE, settle, statusOf, tell } from './outcome.ts'
import { chargeUnanswered, type FailedOffer } from './unanswered.ts'

/** Who answered, and what it took to get there. */
export interface Served {
  offer: Offer
  attempts: Attempt[]
  /** The tries that failed before it. */
  failed: readonly FailedOffer[]
  firstByteMs: number
}

const STREAM_TYPE = { 'content-type': 'text/event-stream; charset=utf-8' }
const COST_TRAILERS = ['X-Service-Tokens-In', 'X-Service-Tokens-Out', 'X-Service-Cost-Usd']

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
  await meter.prepare()
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
  reply.begin(head, COST_TRAILERS)
  const failure = await relay(admitted, answer, identity, created)
  const { charge, offer } = await chargeStream(admitted, served, failure)
  const trailers = costHeaders(charge)
  const told = failure && tell(failure, signal)
  const usage = withCost(
    meter.reportedUsage?.asChatUsage ?? meter.estimatedChatUsage(charge),
    charge.costNano,
  )
  const wantsUsage = request.stream_options?.include_usage === true
  const last = told ? errorFrame(told.error) : (wantsUsage ? usageFrame(identity, created, usage) : '') + DONE
  await settle(admitted, rooms, {
    ...outcomeOf({ ...served, offer }, charge),
    status: statusOf(failure, signal),
    httpStatus: 200,
    error: told?.error ?? null,
    kept: {
      status: 200,
      headers: { ...STREAM_TYPE, ...head, ...trailers },
      body: reply.recorded === null ? null : reply.recorded + last,
    },
  })
  if (told) reply.breakOff(last, trailers)
  else reply.end(last, trailers)
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

/** A stream that broke off before it said anything is no answer: the tries before it count like it. */
async function chargeStream(
  { meter, entry }: Admitted,
  { offer, failed }: Served,
  failure: UpstreamFailure | null,
): Promise<{ charge: Charge; offer: Offer }> {
  if (failure && !meter.hasOutput) {
    const unanswered = await chargeUnanswered(
      meter,
      [...failed, { offer, failure }],
      entry.reservation.amount,
    )
    return { charge: unanswered.charge, offer: unanswered.offer ?? offer }
  }
  await meter.prepare()
  return { charge: meter.consumed(offer, failure !== null), offer }
}

function outcomeOf({ offer, attempts, firstByteMs }: Served, charge: Charge) {
  return { charge, model: offer.id, provider: offer.providerId, attempts, firstByteMs }
}
