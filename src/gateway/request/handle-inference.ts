// One request, from its arrival to its last byte. Once its row is open, nothing leaves `handleInference` without settling
// it: every error ends in `settleFault`.

import type { RunningRequest } from '../../shared/api/requests.ts'
import { nanoToUsd } from '../../shared/money/money.ts'
import { OUTPUT_LIMIT_SECOND } from '../formats/chat/codec-types.ts'
import type { Offer } from '../models/catalog/offers.ts'
import { learnOutputLimit } from '../models/catalog/targets.ts'
import type { Clock } from '../platform/clock.ts'
import { unlessAborted } from '../platform/wait.ts'
import { admit, refuse } from './admit.ts'
import { endFailed, endPlain } from './answer.ts'
import type { FailedAttempt } from './attempt.ts'
import type { AdmittedRequest, InferenceCall, InferenceDeps } from './call.ts'
import { dispatch } from './dispatch.ts'
import { chargeFailed, computeWorstCaseOfFailed } from './failed-charge.ts'
import { findPause, type RequestAborted, toRejection } from './in-flight.ts'
import type { Entry } from './ledger.ts'
import { endUnrecorded, relayStream } from './relay.ts'
import { allowedOffers, selectEligible, selectServing } from './select.ts'
import { type Ending, logExcessiveReport, logFailedAttempts, settle, settleFault } from './settle.ts'
import type { Candidate } from './worst-case.ts'

/** Answers the call over its client stream. Throws GatewayError for what is rejected before an upstream is called. */
export async function handleInference(call: InferenceCall, deps: InferenceDeps): Promise<void> {
  const createdAt = deps.clock.now()
  const startedAt = deps.clock.monotonic()
  const pause = () => findPause(call.key, deps.account)
  const { session } = call
  session.beginRequest()
  const inFlight = deps.inFlight.start(call.key, call.stream, pause)
  try {
    const paused = pause()
    if (paused) throw refuse(call, { createdAt, startedAt, inFlight }, paused, deps)
    // An unknown model may be on a list that was never read.
    if (!deps.catalog.knows(call.request.model))
      await unlessAborted(deps.providerModels.refreshMissing(), inFlight.signal)
    const { key, session } = call
    const reading = deps.spendLimits.readSession({ key, sessionId: session.id })
    if (reading) await unlessAborted(reading, inFlight.signal)
    const offers = findOffers(call, deps)
    const admitted = await admit(call, offers, { createdAt, startedAt, inFlight }, deps)
    inFlight.track(call.requestId, () => describeProgress(admitted, deps.clock))
    let refusal: RequestAborted | null = null
    try {
      const ending = await callCandidates(admitted, deps)
      await settle(admitted, ending.outcome, deps)
      refusal = sendLast(ending, admitted.entry)
      deps.guard.charged(call.key, ending.outcome.charge.costNano, call.request)
      if (ending.observed) deps.forecast.observe(ending.observed)
      logFailedAttempts(ending.outcome, call.requestId, deps.log)
      logExcessiveReport(ending.outcome, call.requestId, deps.log)
    } catch (error) {
      // Ends the upstream call first: what is charged below must not grow any more.
      inFlight.abort(error instanceof Error ? error : new Error('the request failed'))
      await settleFault(admitted, deps)
      throw error
    }
    if (refusal) throw refusal
  } catch (error) {
    throw toRejection(error)
  } finally {
    inFlight.finish()
    session.endRequest(deps.clock.now())
  }
}

/** The offers that can serve the request, in order. */
function findOffers(
  { request, mode, key, session, tag }: InferenceCall,
  { catalog, spendLimits, providers }: InferenceDeps,
): readonly Offer[] {
  const routed = allowedOffers(catalog.route(request.model).offers, key, request.model)
  const subject = { key, sessionId: session.id, tag }
  const offers = spendLimits.keepWithin(routed, subject)
  const caps = spendLimits.findCaps({ ...subject, models: offers })
  return mode.kind === 'raw'
    ? selectServing(offers, mode.passThrough, caps, providers)
    : selectEligible(offers, request, caps)
}

/** Calls the candidates, and passes a stream on up to its last bytes. */
async function callCandidates(admitted: AdmittedRequest, deps: InferenceDeps): Promise<Ending> {
  const { providers, clock, random, adapterFor, breakers } = deps
  const result = await dispatch(admitted.candidates, {
    request: admitted.call.request,
    trace: admitted.call.trace,
    signal: admitted.inFlight.signal,
    credentialFor: (providerId, index) => providers.credential(providerId, index),
    coolDownCredential: (providerId, index, ms) => providers.coolDownCredential(providerId, index, ms),
    random,
    clock,
    adapterFor,
    breakers,
    setCalling: (route) => {
      admitted.calling = admitted.candidates.find((candidate) => candidate === route) ?? admitted.calling
      admitted.inFlight.setCalling(route !== null)
    },
    learnOutputLimit: ({ offer }) => learnOutputLimit(offer, OUTPUT_LIMIT_SECOND),
    admitAgain: (failed) => reserveAgain(admitted, failed, deps),
  })
  if (result.kind === 'failed')
    return endFailed(admitted, result, await chargeFailed(admitted, result.failed, deps.forecast))
  admitted.serving = result.route
  const { answer } = result
  if (answer.kind === 'plain') return endPlain(admitted, { ...result, answer }, deps)
  if (await admitted.entry.opened) return relayStream(admitted, { ...result, answer }, deps)
  return endUnrecorded(admitted, { ...result, answer }, deps)
}

/**
 * Reserves for one more attempt at a request of which the provider may bill those that failed. False if there is not
 * enough left for it.
 */
function reserveAgain(
  admitted: AdmittedRequest,
  failed: readonly FailedAttempt<Candidate>[],
  { budget, forecast }: InferenceDeps,
): boolean {
  const { entry } = admitted
  const before = computeWorstCaseOfFailed(failed, admitted, forecast)
  if (before === 0) return true
  return budget.reserveAgain(entry.reservation, before, entry.request.reservedNano)
}

/** Sends the last bytes. What could not be recorded gets its refusal instead, which is returned if nothing was sent yet. */
function sendLast(ending: Ending, { refusal }: Entry): RequestAborted | null {
  if (refusal === null) ending.send()
  else if (ending.fail) ending.fail(refusal.body, refusal.status)
  else return refusal
  return null
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
