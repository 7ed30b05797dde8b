// How an admitted request is answered and settled, plain or streamed. The charge is durable before the last bytes leave.
// What nobody answered ends in `unanswered.ts`.
import type { Attempt } from '../../shared/requests.ts'
import { StreamCutError } from '../billing/budget.ts'
import { cutBody } from '../billing/budget-errors.ts'
import type { ChatEvent, PlainAnswer, StreamAnswer } from '../formats/events.ts'
import { StreamNormaliser } from '../formats/openai-chat/normalise-stream.ts'
import { UpstreamFailure } from '../formats/upstream-failure.ts'
import type { Admitted, InferenceDeps } from './call.ts'
import type { Candidate } from './candidates.ts'
import { addCharges, type Charge } from './charge.ts'
import { chargeAnswered, chargeUnanswered, type FailedCandidate } from './failed-request.ts'
import { completionBody, DONE, errorFrame, type Identity, StreamFrames, withCost } from './frames.ts'
import { type InFlightRequest, spendLimitReached } from './in-flight.ts'
import type { Entry } from './ledger.ts'
import { factorOf, forecastName, likelyOutput } from './reservation-amounts.ts'
import { costHeaders, JSON_TYPE, settle, statusOf, tell } from './settlement.ts'
import { StreamSpend } from './stream-budget.ts'
import { mostCost } from './worst-case.ts'

/** Who answered, and what it took to get there. */
export interface Served {
  candidate: Candidate
  attempts: Attempt[]
  /** The tries that failed before it. */
  failed: readonly FailedCandidate[]
  firstByteMs: number
}

const STREAM_TYPE = { 'content-type': 'text/event-stream; charset=utf-8' }
const COST_TRAILERS = ['X-Service-Tokens-In', 'X-Service-Tokens-Out', 'X-Service-Cost-Usd']

export async function answerPlain(
  admitted: Admitted,
  served: Served,
  answer: PlainAnswer,
  deps: InferenceDeps,
): Promise<void> {
  const { meter, call, entry, discountPercent } = admitted
  const { candidate } = served
  const { offer, bound } = candidate
  meter.completion(answer.completion)
  if (answer.usage) meter.reported(answer.usage)
  await meter.prepare()
  const own = meter.consumed(candidate)
  const before = await chargeAnswered(meter, served.failed)
  const charge = addCharges(own, before.charge)
  const identity = { id: call.requestId, model: offer.id }
  const usage = withCost(meter.chatUsage(candidate, own), charge.costNano)
  const body = completionBody(answer.completion, identity, usage)
  const headers = {
    ...JSON_TYPE,
    ...admitted.rate.headers,
    'x-service-model': offer.id,
    ...costHeaders(charge),
  }
  await settle(admitted, deps, {
    ...outcomeOf(served, charge),
    status: 'succeeded',
    httpStatus: 200,
    error: null,
    kept: { status: 200, headers, body },
  })
  const expectedNano =
    mostCost(offer, bound, bound.output, discountPercent) * factorOf(candidate, deps.forecast)
  learn(deps, entry, candidate, own, expectedNano)
  call.stream.send(200, headers, body)
}

export async function answerStream(
  admitted: Admitted,
  served: Served,
  answer: StreamAnswer,
  deps: InferenceDeps,
): Promise<void> {
  const { call, meter, inFlight } = admitted
  const { stream, request } = call
  const identity: Identity = { id: call.requestId, model: served.candidate.offer.id }
  const created = Math.floor(deps.clock.now() / 1000)
  const head = { ...admitted.rate.headers, 'x-service-model': served.candidate.offer.id }
  const spend = spendOf(admitted, served.candidate, deps)
  const normaliser = new StreamNormaliser({ ...identity, created })
  const frames = new StreamFrames(identity, created, request.stream_options?.include_usage === true)
  stream.begin(head, COST_TRAILERS)
  const failure = await relay(admitted, answer, { normaliser, frames, spend })
  const { charge, candidate } = await chargeStream(admitted, served, failure)
  const trailers = costHeaders(charge)
  const told = failure && tell(failure, inFlight.signal)
  const usage = withCost(meter.chatUsage(candidate, charge), charge.costNano)
  const last = told ? errorFrame(told.error) : frames.usage(usage) + DONE
  await settle(admitted, deps, {
    ...outcomeOf({ ...served, candidate }, charge),
    status: statusOf(failure, inFlight.signal),
    httpStatus: 200,
    error: told?.error ?? null,
    kept: {
      status: 200,
      headers: { ...STREAM_TYPE, ...head, ...trailers },
      body: stream.recorded === null ? null : stream.recorded + last,
    },
  })
  if (!failure) learn(deps, admitted.entry, candidate, charge, spend.expectedNano)
  if (told) stream.endAndClose(last, trailers)
  else stream.end(last, trailers)
}

function spendOf(admitted: Admitted, candidate: Candidate, deps: InferenceDeps): StreamSpend {
  const { call, meter, entry, inFlight, discountPercent } = admitted
  const { budget, forecast } = deps
  const each = likelyOutput(candidate, call.request, call.key.id, forecast)
  return new StreamSpend({
    ...{ budget, meter, candidate, discountPercent },
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
 * Passes a stream on to the client, chunk by chunk at the client's pace and within its reservation. Null when it came to
 * its proper end.
 */
async function relay(
  { meter, call, inFlight }: Admitted,
  answer: StreamAnswer,
  { normaliser, frames, spend }: Relay,
): Promise<UpstreamFailure | null> {
  for await (const upstreamEvent of answer.events) {
    for (const event of normaliser.next(upstreamEvent)) {
      const end = await pass(event)
      if (end !== undefined) return end
    }
  }
  return new UpstreamFailure({ kind: 'malformed', message: 'The stream ended without its end mark.' })

  async function pass(event: ChatEvent): Promise<UpstreamFailure | null | undefined> {
    switch (event.type) {
      case 'chunk': {
        meter.chunk(event.chunk)
        const cut = spend.isCovered ? null : await roomFor(spend, inFlight)
        await call.stream.write(frames.chunk(event.chunk, event.raw), inFlight.signal)
        return cut ?? undefined
      }
      case 'usage':
        meter.reported(event.usage)
        spend.noteUsage()
        frames.reported(event.members)
        return undefined
      case 'done':
        return null
      case 'failed':
        return event.failure
    }
  }
}

/** Null when there is room for what comes next, at once or after a pause. */
async function roomFor(spend: StreamSpend, inFlight: InFlightRequest): Promise<UpstreamFailure | null> {
  try {
    await spend.advance()
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

/** A stream that broke off before it said anything is no answer: the tries before it count like it. */
async function chargeStream(
  admitted: Admitted,
  { candidate, failed }: Served,
  failure: UpstreamFailure | null,
): Promise<{ charge: Charge; candidate: Candidate }> {
  const { meter } = admitted
  if (failure && !meter.hasOutput) {
    const unanswered = await chargeUnanswered(admitted, [...failed, { candidate, failure, answered: [] }])
    return { charge: unanswered.charge, candidate: unanswered.candidate ?? candidate }
  }
  await meter.prepare()
  const before = await chargeAnswered(meter, failed)
  return { charge: addCharges(meter.consumed(candidate, failure !== null), before.charge), candidate }
}

function outcomeOf({ candidate: { offer }, attempts, firstByteMs }: Served, charge: Charge) {
  return { charge, model: offer.id, provider: offer.providerId, attempts, firstByteMs, reached: true }
}

/** What the provider counted teaches how much to reserve for the next request of its kind. */
function learn(
  { forecast }: InferenceDeps,
  { row }: Entry,
  { offer }: Candidate,
  charge: Charge,
  expectedNano: number,
): void {
  if (charge.costStatus !== 'exact' || charge.costNano === null) return
  const { tokensOut, costNano } = charge
  forecast.observe({ keyId: row.keyId, model: forecastName(offer), tokensOut, costNano, expectedNano })
}
