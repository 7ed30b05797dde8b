import type { ErrorBody } from '../../shared/api/errors.ts'
import type { ChatUsage } from '../../shared/formats/chat-completion.ts'
import type { AnswerContext } from '../formats/chat/codec-types.ts'
import type { PlainAnswer } from '../formats/chat/events.ts'
import type { UpstreamFailure } from '../formats/chat/failure.ts'
import type { Offer } from '../models/catalog/offers.ts'
import { describeRetirement, isRetired } from '../models/catalog/retirements.ts'
import { toClientError } from '../upstream/client-error.ts'
import type { InferenceCall } from './call.ts'
import { addCharges, type Charge, withCost } from './charge.ts'
import type { AnsweredDispatch, FailedDispatch } from './dispatch.ts'
import { chargeAnsweredChoices, type FailedCharge, heldAfter, NO_CHARGE } from './failed-charge.ts'
import type { Observation } from './forecast.ts'
import { ClientDisconnected, RequestAborted, RequestStopped } from './in-flight.ts'
import type { Entry, Outcome } from './ledger.ts'
import type { Candidate } from './quote.ts'
import type { Run } from './run.ts'
import { costHeaders, type Ending, JSON_TYPE } from './settle.ts'

type PlainResult = AnsweredDispatch & { answer: PlainAnswer }

/** The end of an answer in one piece. It takes no time if its provider has counted it. */
export function endPlain(run: Run, result: PlainResult): Ending | Promise<Ending> {
  const { meter } = run
  const { answer, failed } = result
  meter.recordCompletion(answer.completion)
  if (answer.usage) meter.recordUsage(answer.usage)
  if (meter.isReported && failed.length === 0) return createPlainEnding(run, result, NO_CHARGE)
  return meter
    .prepare()
    .then(() => chargeAnsweredChoices(meter, failed))
    .then((charged) => createPlainEnding(run, result, charged))
}

/** `ofFailed`: the charge of choices that failed attempts have answered. */
function createPlainEnding(run: Run, result: PlainResult, ofFailed: FailedCharge): Ending {
  const { meter, call, entry, deps } = run
  const { answer, candidate, failed } = result
  const answerCharge = meter.computeCharge(candidate)
  const charge = addCharges(answerCharge, ofFailed.charge)
  const usage = withCost(meter.chatUsage(answerCharge), charge)
  const created = Math.floor(deps.clock.now() / 1000)
  const body = answer.raw?.bytes ?? formatAnswer({ call, created }, candidate, answer, usage)
  const headers = {
    ...(answer.raw ? { 'content-type': answer.raw.mediaType } : JSON_TYPE),
    ...answer.headers,
    ...run.answerHeaders(candidate),
    ...costHeaders(charge),
  }
  const baseNano = candidate.quote.most * candidate.quote.priceFactor
  return {
    outcome: {
      ...describeAnswered(result, candidate),
      charge,
      heldNano: heldAfter(run, { candidate, charge, failed }),
      status: 'succeeded',
      httpStatus: 200,
      error: null,
      response: { status: 200, headers, body },
    },
    observed: observe(entry, candidate, answerCharge, baseNano),
    send: () => call.stream.send(200, headers, body),
  }
}

/** The body for the client: the provider's own with the cost in it, or one in the client's format. */
function formatAnswer(
  { call, created }: { call: InferenceCall; created: number },
  candidate: Candidate,
  { completion, native }: PlainAnswer,
  usage: ChatUsage,
): string {
  if (native === undefined) {
    const context = answerContext(call, candidate, created)
    return JSON.stringify(call.codec.answerBody(completion, usage, context))
  }
  call.codec.observeNative?.(native)
  const { mode } = candidate
  return usage.cost === undefined || mode.kind !== 'native' ? native : mode.addCost(native, usage.cost)
}

/** The settled fields of a request that a candidate has begun to answer. */
export function describeAnswered(
  { attempts, firstByteMs }: Pick<AnsweredDispatch, 'attempts' | 'firstByteMs'>,
  { offer }: Candidate,
) {
  return { model: offer.id, provider: offer.providerId, attempts, firstByteMs, reached: true }
}

/** The observation for the forecast; null if the charge is not exact. */
export function observe(
  { request }: Entry,
  { quote }: Candidate,
  { costStatus, costNano, tokensOut }: Charge,
  baseNano: number,
): Observation | null {
  if (costStatus !== 'exact' || costNano === null) return null
  return { keyId: request.keyId, model: quote.model, tokensOut, costNano, baseNano }
}

/**
 * The end of a request that no candidate answered. The error and the charge need not come from the same attempt: the
 * last one explains why there is no answer, the most expensive one bounds the charge.
 */
export function endFailed(
  run: Run,
  { failure, failed, attempts }: FailedDispatch,
  { charge, heldNano, candidate }: FailedCharge,
): Ending {
  const { call, inFlight, rate } = run
  const offer = (candidate ?? failed.at(-1)?.candidate)?.offer ?? null
  const { status, error: reported, headers: own, body: given } = reportError(failure, inFlight.signal)
  const failing = failed.find((attempt) => attempt.failure === failure)?.candidate.offer
  const error = failing ? addRetirement(reported, failure, failing, run) : reported
  const body = given ?? JSON.stringify(call.codec.errorBody(error, status, call.requestId))
  const headers = { ...JSON_TYPE, ...failure.headers, ...rate.headers, ...own }
  return {
    outcome: {
      charge,
      heldNano,
      model: offer?.id ?? null,
      provider: offer?.providerId ?? null,
      attempts,
      firstByteMs: null,
      status: getStatus(failure, inFlight.signal),
      httpStatus: status,
      error,
      reached: failed.some(({ failure: { sent } }) => sent),
      response: { status, headers, body },
    },
    observed: null,
    send: () => {
      if (!call.stream.disconnected) call.stream.send(status, headers, body)
    },
  }
}

/** The vendor's answer that it has no such model, with the date of its retirement once that has come. */
function addRetirement(
  error: ErrorBody,
  { status }: UpstreamFailure,
  { providerId, upstreamModel, retirement }: Offer,
  { deps: { clock, providers } }: Run,
): ErrorBody {
  if (status !== 404 || !retirement || !isRetired(retirement, clock.now())) return error
  const vendor = providers.findEnabled(providerId)?.name ?? providerId
  const message = error.message.replace(/[.\s]+$/, '')
  return { ...error, message: `${message}. ${describeRetirement(vendor, upstreamModel, retirement)}` }
}

export interface ReportedError {
  status: number
  error: ErrorBody
  headers?: Readonly<Record<string, string>>
  /** The vendor's own body, for its own client. */
  body?: string
}

/**
 * The error for the client: our own reason when the gateway aborted the request, else the meaning of the upstream's failure.
 */
export function reportError(failure: UpstreamFailure, signal: AbortSignal): ReportedError {
  const { reason } = signal
  if (reason instanceof RequestAborted)
    return { status: reason.status, error: reason.body, headers: reason.headers }
  const { status, retryAfterSeconds, ...error } = toClientError(failure)
  const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }
  if (failure.body === null || failure.status === null) return { status, error, headers }
  return { status: failure.status, error, body: failure.body }
}

export function getStatus(failure: UpstreamFailure | null, signal: AbortSignal): Outcome['status'] {
  if (!failure) return 'succeeded'
  const { reason } = signal
  return reason instanceof ClientDisconnected || reason instanceof RequestStopped ? 'canceled' : 'failed'
}

/** The context of an answer by this candidate. `created`: seconds since the epoch. */
export function answerContext(
  { requestId, json }: InferenceCall,
  { offer }: Candidate,
  created: number,
): AnswerContext {
  return { requestId, model: offer.id, created, body: json }
}
