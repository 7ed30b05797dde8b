import type { StreamAnswer } from '../formats/events.ts'
import { UpstreamFailure } from '../formats/upstream-failure.ts'
import { describeAnswered, observe } from './answer.ts'
import { type AnswerWriter, answerContext, createAnswerWriter } from './answer-writer.ts'
import type { Admitted, InferenceCall, InferenceDeps } from './call.ts'
import { addCharges, withCost } from './charge.ts'
import type { Answered } from './dispatch.ts'
import {
  chargeAnsweredChoices,
  chargeFailed,
  type FailedCharge,
  heldAfter,
  worstCaseOfFailed,
} from './failed-charge.ts'
import { endFailed } from './failed-request.ts'
import type { Candidate } from './prepare.ts'
import { type ReportedError, reportError, statusOf } from './reported-error.ts'
import { factorOf, likelyOutput, priceFactor } from './reservation-amounts.ts'
import {
  costHeaders,
  type Ending,
  type FinalOutcome,
  JSON_TYPE,
  outputLimitHeader,
  sampleHeader,
} from './settle.ts'
import { StreamSpend } from './stream-budget.ts'
import { countArrived, StreamRelay } from './stream-relay.ts'
import { maxCost } from './worst-case.ts'

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
  const { stream } = call
  const context = answerContext(call, result.route, Math.floor(deps.clock.now() / 1000))
  const relay: Relay = {
    spend: createSpend(admitted, result, deps),
    writer: createAnswerWriter(call, context, result.route, result.answer),
  }
  const { mediaType, keepAlive } = relay.writer.stream
  const type = mediaType === undefined ? STREAM_TYPE : { 'content-type': mediaType }
  const headers = {
    ...type,
    ...rate.headers,
    'x-service-model': context.model,
    ...outputLimitHeader(result.route),
    ...sampleHeader(result.route),
  }
  stream.begin(headers, COST_TRAILERS, keepAlive)
  const failure = await new StreamRelay(admitted, relay.writer, relay.spend).relay(result.answer.events)
  const { charge, candidate, heldNano } = await chargeStream(admitted, result, failure, deps)
  const trailers = costHeaders(charge)
  const reported = failure && reportError(failure, inFlight.signal)
  const usage = withCost(meter.chatUsage(candidate, charge), charge.costNano)
  const last = reported ? relay.writer.fail(reported.error, reported.status) : relay.writer.end(usage)
  return {
    outcome: {
      ...describeAnswered(result, candidate),
      charge,
      heldNano,
      status: statusOf(failure, inFlight.signal),
      httpStatus: 200,
      error: reported?.error ?? null,
      response:
        reported && last === null
          ? abortedResponse(reported, call)
          : {
              status: 200,
              headers: { ...headers, ...trailers },
              body: complete(stream.recorded, last ?? ''),
            },
    },
    observed: failure ? null : observe(entry, candidate, charge, usualBound(admitted, relay)),
    send: () => {
      if (last === null) stream.abort()
      else if (reported) stream.endAndClose(last, trailers)
      else stream.end(last, trailers)
    },
    fail: (error, status) => {
      const text = relay.writer.fail(error, status)
      if (text === null) stream.abort()
      else stream.endAndClose(text, {})
    },
  }
}

/** The end of a stream whose row could not be written: it is aborted before any of it was passed on. */
export async function endUnrecorded(
  admitted: Admitted,
  result: StreamResult,
  deps: InferenceDeps,
): Promise<Ending> {
  const { route, attempts } = result
  const failure = new UpstreamFailure({
    kind: 'aborted',
    message: 'The request was ended because it could not be recorded.',
  })
  await countArrived(result.answer.events, admitted.meter)
  const charged = await chargeStream(admitted, result, failure, deps)
  const failed = [...result.failed, { route, failure, answered: [] }]
  return endFailed(admitted, { kind: 'failed', failure, failed, attempts }, charged)
}

function complete(recorded: Buffer | null, last: string): Buffer | null {
  return recorded && Buffer.concat([recorded, Buffer.from(last)])
}

/** For a replay, the error that could not be sent any more. */
function abortedResponse(
  { error, status }: ReportedError,
  { codec, requestId }: InferenceCall,
): FinalOutcome['response'] {
  return { status, headers: JSON_TYPE, body: JSON.stringify(codec.errorBody(error, status, requestId)) }
}

/** What is passed through, or is under a strict limit, has reserved its worst case at the start and is not extended. */
function usualBound({ call, serving, discountPercent, isStrict }: Admitted, { spend }: Relay): number {
  if (!serving || !(call.passThrough || isStrict)) return spend.baseNano
  return maxCost(serving, serving.bound.output, discountPercent) * priceFactor(serving)
}

function createSpend(
  admitted: Admitted,
  { route: candidate, failed }: StreamResult,
  deps: InferenceDeps,
): StreamSpend {
  const { call, meter, entry, inFlight, discountPercent, isStrict } = admitted
  const { budget, forecast } = deps
  const each = likelyOutput(candidate, call.request, call.key.id, forecast)
  return new StreamSpend({
    budget,
    meter,
    candidate,
    discountPercent,
    isStrict,
    reservation: entry.reservation,
    beforeNano: worstCaseOfFailed(failed, admitted, forecast),
    step: Math.max(1, each * candidate.bound.calls),
    factor: factorOf(candidate, forecast),
    baseFactor: priceFactor(candidate),
    signal: inFlight.signal,
  })
}

interface Relay {
  writer: AnswerWriter
  spend: StreamSpend
}

/** A stream that failed without output is charged like an attempt that failed before it began. */
async function chargeStream(
  admitted: Admitted,
  { route, failed }: StreamResult,
  failure: UpstreamFailure | null,
  { forecast }: Pick<InferenceDeps, 'forecast'>,
): Promise<FailedCharge & { candidate: Candidate }> {
  const { meter } = admitted
  if (failure && !meter.hasOutput) {
    const all = [...failed, { route, failure, answered: [] }]
    const charged = await chargeFailed(admitted, all, forecast)
    return { ...charged, candidate: charged.candidate ?? route }
  }
  await meter.prepare()
  const before = await chargeAnsweredChoices(meter, failed)
  const charge = addCharges(meter.chargeOf(route, failure !== null), before.charge)
  return {
    charge,
    candidate: route,
    heldNano: heldAfter(
      admitted,
      { candidate: route, charge, failed, interrupted: failure !== null },
      forecast,
    ),
  }
}
