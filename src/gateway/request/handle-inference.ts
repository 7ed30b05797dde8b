// One request, from its arrival to its last byte. Once its row is open, nothing leaves `handleInference` without settling
// it: every error ends in `settleFault`.

import type { RunningRequest } from '../../shared/api/requests.ts'
import { hasSamplePrices } from '../../shared/api/terms.ts'
import { addUsd, nanoToUsd } from '../../shared/money/money.ts'
import { OUTPUT_LIMIT_SECOND } from '../formats/chat/codec-types.ts'
import type { Offer } from '../models/catalog/offers.ts'
import { learnOutputLimit } from '../models/catalog/targets.ts'
import type { Clock } from '../platform/clock.ts'
import { unlessAborted } from '../platform/wait.ts'
import { type Arrival, admit, refuse } from './admit.ts'
import { endFailed, endPlain } from './answer.ts'
import {
  type AdmittedRequest,
  getRunPlace,
  type InferenceCall,
  type InferenceDeps,
  type PlanMode,
} from './call.ts'
import { type AnsweredDispatch, dispatch, type FailedAttempt, type FailedDispatch } from './dispatch.ts'
import { chargeFailed, computeWorstCaseOfFailed } from './failed-charge.ts'
import { findPause, type RequestAborted } from './in-flight.ts'
import type { Entry } from './ledger.ts'
import { endUnrecorded, relayStream } from './relay.ts'
import { findPlace, keepAnswer, serveCached } from './response-cache.ts'
import {
  allowedOffers,
  chooseOverflow,
  findOverflowOffers,
  findPlanOffers,
  selectEligible,
  selectServing,
  withoutPlans,
} from './select.ts'
import { type Ending, type FinalOutcome, reportProblems, settle, settleFault } from './settle.ts'

/** Answers the call over its client stream. Throws GatewayError for what is rejected before an upstream is called. */
export async function handleInference(received: InferenceCall, deps: InferenceDeps): Promise<void> {
  const { clock } = deps
  const createdAt = clock.now()
  const startedAt = clock.monotonic()
  const pause = () => findPause(received.key, deps.account)
  const { session } = received
  let endAgent: (() => void) | null = null
  session.beginRequest(createdAt)
  const inFlight = deps.inFlight.start(received.key, received.stream, pause)
  const arrival: Arrival = { createdAt, startedAt, inFlight }
  try {
    const paused = pause()
    if (paused) throw refuse(received, arrival, paused, deps)
    endAgent = beginAgent(received, arrival, deps)
    const call = await unlessAborted(chooseOverflow(received, deps), inFlight.signal)
    // An unknown model may be on a list that was never read.
    if (call.mode.kind !== 'plan' && !deps.catalog.knows(call.request.model))
      await unlessAborted(deps.providerModels.refreshMissing(), inFlight.signal)
    const { key, mode } = call
    const extraUsage = mode.kind === 'plan' && deps.plans.findRefusal(mode.signIn.providerId, key.id)
    if (extraUsage) throw refuse(call, arrival, extraUsage, deps)
    const place = findPlace(call, deps)
    const cached =
      place && call.cache?.kind === 'use' && call.cache.lookUp && deps.responseCache.find(place.slot)
    const found = cached && (await unlessAborted(cached, inFlight.signal))
    if (place && found) return await serveCached(call, place, found, arrival, deps)
    const reading = deps.spendLimits.readSession({ key, ...getRunPlace(call) })
    if (reading) await unlessAborted(reading, inFlight.signal)
    const offers = findOffers(call, deps)
    const admitted = await admit(call, offers, arrival, deps)
    inFlight.track(call.requestId, () => describeProgress(admitted, clock))
    let refusal: RequestAborted | null = null
    try {
      const ending = await callCandidates(admitted, deps)
      const cache = place ? keepAnswer(admitted, place, ending.outcome, deps) : undefined
      await settle(admitted, { ...ending.outcome, cache }, deps)
      refusal = sendLast(ending, admitted.entry)
      recordPrompt(admitted, ending.outcome, deps)
      deps.guard.charged(call.key, ending.outcome.charge.costNano, call.request)
      if (ending.observed) deps.forecast.observe(ending.observed)
      reportProblems(ending.outcome, call.requestId, deps)
    } catch (error) {
      // Ends the upstream call first: what is charged below must not grow any more.
      inFlight.abort(error instanceof Error ? error : new Error('the request failed'))
      await settleFault(admitted, deps)
      throw error
    }
    if (refusal) throw refusal
  } finally {
    inFlight.finish()
    endAgent?.()
    session.endRequest(clock.now())
  }
}

/** Counts the request under the number of sub-agents that its key allows. */
function beginAgent(call: InferenceCall, arrival: Arrival, deps: InferenceDeps): (() => void) | null {
  try {
    return deps.subAgents.begin(call.key, getRunPlace(call))
  } catch (error) {
    throw refuse(call, arrival, error, deps)
  }
}

/** The offers that can serve the request, in order. */
function findOffers(
  { request, mode, key, session, agent, tag, overflowFrom }: InferenceCall,
  { catalog, spendLimits, providers }: InferenceDeps,
): readonly Offer[] {
  const { model } = request
  if (mode.kind === 'plan')
    return allowedOffers(findPlanOffers(model, mode.signIn, { catalog, providers }), key, model)
  const known =
    overflowFrom === null
      ? withoutPlans(catalog.route(model).offers)
      : findOverflowOffers(model, overflowFrom, { catalog, providers })
  const routed = allowedOffers(known, key, model)
  const subject = { key, ...getRunPlace({ session, agent }), tag }
  const offers = spendLimits.keepWithin(routed, subject)
  const caps = spendLimits.findCaps({ ...subject, models: offers })
  return mode.kind === 'raw'
    ? selectServing(offers, mode.passThrough, caps, providers)
    : selectEligible(offers, request, caps)
}

function observePlan(
  { signIn }: PlanMode,
  result: AnsweredDispatch | FailedDispatch,
  keyId: string,
  { plans }: InferenceDeps,
): void {
  const isAnswered = result.kind === 'answered'
  const headers = isAnswered ? result.answer.headers : result.failure.headers
  if (!headers) return
  const isRefused = !isAnswered && result.failure.status === 429
  const account = signIn.headers['chatgpt-account-id'] ?? null
  plans.observe({ provider: signIn.providerId, account, keyId, headers, isRefused })
}

/** Calls the candidates, and passes a stream on up to its last bytes. */
async function callCandidates(admitted: AdmittedRequest, deps: InferenceDeps): Promise<Ending> {
  const { providers, clock, random, adapterFor, breakers } = deps
  const { mode } = admitted.call
  const result = await dispatch(admitted.candidates, {
    request: admitted.call.request,
    trace: admitted.call.trace,
    sockets: admitted.call.sockets,
    signal: admitted.inFlight.signal,
    credentialFor:
      mode.kind === 'plan' ? () => mode.signIn.token : (id, index) => providers.credential(id, index),
    coolDownCredential: (providerId, index, ms) => providers.coolDownCredential(providerId, index, ms),
    random,
    clock,
    adapterFor,
    breakers,
    setCalling: (candidate) => {
      if (candidate) admitted.calling = candidate
      admitted.inFlight.setCalling(candidate !== null)
    },
    learnOutputLimit: ({ offer }) => learnOutputLimit(offer, OUTPUT_LIMIT_SECOND),
    admitAgain: (failed) => reserveAgain(admitted, failed, deps),
  })
  if (mode.kind === 'plan') observePlan(mode, result, admitted.call.key.id, deps)
  if (result.kind === 'failed')
    return endFailed(admitted, result, await chargeFailed(admitted.meter, result.failed))
  admitted.serving = result.candidate
  const { answer } = result
  if (answer.kind === 'plain') return endPlain(admitted, { ...result, answer }, deps)
  if (await admitted.entry.opened) return relayStream(admitted, { ...result, answer }, deps)
  return endUnrecorded(admitted, { ...result, answer }, deps)
}

/**
 * Reserves for one more attempt at a request of which the provider may bill those that failed, also in its row, because a crash
 * leaves nothing else. False if there is not enough left for it, or it cannot be written.
 */
async function reserveAgain(
  admitted: AdmittedRequest,
  failed: readonly FailedAttempt[],
  { budget, ledger }: InferenceDeps,
): Promise<boolean> {
  const { entry } = admitted
  const before = computeWorstCaseOfFailed(failed)
  if (before === 0) return true
  if (!budget.reserveAgain(entry.reservation, before)) return false
  return await ledger.raiseReserved(entry, addUsd(before, entry.request.reservedNano))
}

/** Sends the last bytes. What could not be recorded gets its refusal instead, which is returned if nothing was sent yet. */
function sendLast(ending: Ending, { refusal }: Entry): RequestAborted | null {
  if (refusal === null) ending.send()
  else if (ending.fail) ending.fail(refusal.body, refusal.status)
  else return refusal
  return null
}

/** Records what the prompt consists of, if the provider has counted it. */
function recordPrompt(
  { call, serving, entry, meter }: AdmittedRequest,
  { status, charge: { usage, costStatus, tokensIn, price } }: FinalOutcome,
  { prompts }: InferenceDeps,
): void {
  const isCounted = costStatus === 'exact' || costStatus === 'plan'
  if (!serving || !usage || !isCounted || status !== 'succeeded' || call.mode.kind === 'raw') return
  const { offer } = serving
  const isFree = costStatus === 'plan' || hasSamplePrices(offer.providerId)
  prompts.record({
    requestId: call.requestId,
    sessionId: call.session.id,
    createdAt: entry.request.createdAt,
    request: call.request,
    agent: call.agent,
    servedBy: `${offer.providerId}/${offer.upstreamModel}`,
    usage,
    rates: isFree ? null : (offer.price?.rates(tokensIn, price?.tier) ?? null),
    discountPercent: meter.discountPercent,
  })
}

/** The progress of a running request, and its charge if it ended now. Only the ledger has the final cost. */
function describeProgress(
  { call: { key, request }, calling, serving, entry, meter, startedAt }: AdmittedRequest,
  clock: Clock,
): RunningRequest {
  const candidate = serving ?? calling
  const { tokensIn, tokensOut, costNano } = meter.computeCharge(candidate, true)
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
