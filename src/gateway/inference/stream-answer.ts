import { StreamCutError } from '../billing/budget.ts'
import { cutBody } from '../billing/budget-errors.ts'
import type { ChatEvent, StreamAnswer } from '../formats/events.ts'
import { StreamNormaliser } from '../formats/openai-chat/normalise-stream.ts'
import { UpstreamFailure } from '../formats/upstream-failure.ts'
import type { Answered } from '../routing/dispatch.ts'
import type { Admitted, InferenceDeps } from './call.ts'
import type { Candidate } from './candidates.ts'
import { addCharges } from './charge.ts'
import { chargeAnsweredChoices, chargeFailed, type FailedCharge } from './failed-charge.ts'
import { DONE, errorFrame, StreamFrames, withCost } from './frames.ts'
import { type InFlightRequest, spendLimitReached } from './in-flight.ts'
import { describeAnswered, observe } from './plain-answer.ts'
import { reportError, statusOf } from './reported-error.ts'
import { factorOf, likelyOutput } from './reservation-amounts.ts'
import { costHeaders, type Ending } from './settlement.ts'
import { StreamSpend } from './stream-budget.ts'

const STREAM_TYPE = { 'content-type': 'text/event-stream; charset=utf-8' }
const COST_TRAILERS = ['X-Service-Tokens-In', 'X-Service-Tokens-Out', 'X-Service-Cost-Usd']

type StreamResult = Answered<Candidate> & { answer: StreamAnswer }

/** Passes the stream on to the client, up to its last bytes, which wait for the settlement. */
export async function relayStream(
  admitted: Admitted,
  result: StreamResult,
  deps: InferenceDeps,
): Promise<Ending> {
  const { call, meter, inFlight, rate, entry } = admitted
  const { stream, request } = call
  const identity = { id: call.requestId, model: result.route.offer.id }
  const created = Math.floor(deps.clock.now() / 1000)
  const headers = { ...rate.headers, 'x-service-model': identity.model }
  const relay: Relay = {
    spend: createSpend(admitted, result.route, deps),
    normaliser: new StreamNormaliser({ ...identity, created }),
    frames: new StreamFrames(identity, created, request.stream_options?.include_usage === true),
  }
  stream.begin(headers, COST_TRAILERS)
  const failure = await relayEvents(admitted, result.answer.events, relay)
  const { charge, candidate } = await chargeStream(admitted, result, failure)
  const trailers = costHeaders(charge)
  const error = failure && reportError(failure, inFlight.signal).error
  const usage = withCost(meter.chatUsage(candidate, charge), charge.costNano)
  const last = error ? errorFrame(error) : relay.frames.usage(usage) + DONE
  return {
    outcome: {
      ...describeAnswered(result, candidate),
      charge,
      status: statusOf(failure, inFlight.signal),
      httpStatus: 200,
      error,
      response: {
        status: 200,
        headers: { ...STREAM_TYPE, ...headers, ...trailers },
        body: stream.recorded === null ? null : stream.recorded + last,
      },
    },
    observed: failure ? null : observe(entry, candidate, charge, relay.spend.expectedNano),
    send: () => (error ? stream.endAndClose(last, trailers) : stream.end(last, trailers)),
  }
}

function createSpend(admitted: Admitted, candidate: Candidate, deps: InferenceDeps): StreamSpend {
  const { call, meter, entry, inFlight, discountPercent } = admitted
  const { budget, forecast } = deps
  const each = likelyOutput(candidate, call.request, call.key.id, forecast)
  return new StreamSpend({
    budget,
    meter,
    candidate,
    discountPercent,
    reservation: entry.reservation,
    step: Math.max(1, each * candidate.bound.calls),
    factor: factorOf(candidate, forecast),
    signal: inFlight.signal,
  })
}

interface Relay {
  normaliser: StreamNormaliser
  frames: StreamFrames
  spend: StreamSpend
}

/**
 * Sends each chunk at the client's pace and within the reservation. Returns the failure that ended the stream; null when
 * it is complete.
 */
async function relayEvents(
  { meter, call, inFlight }: Admitted,
  events: AsyncIterable<ChatEvent>,
  { normaliser, frames, spend }: Relay,
): Promise<UpstreamFailure | null> {
  for await (const upstreamEvent of events) {
    for (const event of normaliser.next(upstreamEvent)) {
      switch (event.type) {
        case 'chunk': {
          meter.recordChunk(event.chunk)
          const cut = spend.isCovered ? null : await extendReservation(spend, inFlight)
          await call.stream.write(frames.chunk(event.chunk, event.raw), inFlight.signal)
          if (cut) return cut
          break
        }
        case 'usage':
          meter.recordUsage(event.usage)
          spend.recordUsage()
          frames.recordUsage(event.members)
          break
        case 'done':
          return null
        case 'failed':
          return event.failure
      }
    }
  }
  return new UpstreamFailure({ kind: 'malformed', message: 'The stream ended without its end mark.' })
}

/** Null when the stream may go on, at once or after a wait. */
async function extendReservation(
  spend: StreamSpend,
  inFlight: InFlightRequest,
): Promise<UpstreamFailure | null> {
  try {
    await spend.extend()
    return null
  } catch (error) {
    if (error instanceof StreamCutError) inFlight.abort(spendLimitReached(cutBody(error.reason)))
    else if (!inFlight.signal.aborted) throw error
    return new UpstreamFailure({
      kind: 'aborted',
      message: 'The request was ended before its answer was complete.',
    })
  }
}

/** A stream that failed without output is charged like an attempt that failed before it began. */
async function chargeStream(
  admitted: Admitted,
  { route, failed }: StreamResult,
  failure: UpstreamFailure | null,
): Promise<FailedCharge & { candidate: Candidate }> {
  const { meter } = admitted
  if (failure && !meter.hasOutput) {
    const { charge, candidate } = await chargeFailed(admitted, [...failed, { route, failure, answered: [] }])
    return { charge, candidate: candidate ?? route }
  }
  await meter.prepare()
  const before = await chargeAnsweredChoices(meter, failed)
  return { charge: addCharges(meter.chargeOf(route, failure !== null), before.charge), candidate: route }
}
