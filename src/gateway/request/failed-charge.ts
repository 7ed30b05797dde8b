import { addUsd, type NanoUsd, nanoUsd, ZERO_USD } from '../../shared/money/money.ts'
import { isSettled, mayBeBilled } from '../formats/chat/failure.ts'
import type { FailedAttempt } from './attempt.ts'
import type { AdmittedRequest, InferenceCall } from './call.ts'
import { addCharges, type Charge, FREE } from './charge.ts'
import type { Forecast } from './forecast.ts'
import { type Candidate, likelyOutput, maxCost, possibleCost } from './worst-case.ts'

export interface FailedCharge {
  charge: Charge
  /** The amount that may still be billed beyond the charge. It stays reserved for a while. */
  heldNano: NanoUsd
  /** Null where nothing is charged. */
  candidate: Candidate | null
}

export const NO_CHARGE: FailedCharge = { charge: FREE, heldNano: ZERO_USD, candidate: null }

type ChargedRequest = Pick<AdmittedRequest, 'call' | 'meter' | 'discountPercent' | 'isStrict'>
type Attempts = readonly FailedAttempt[]

/**
 * The charge of a request without an answer: the choices that were answered, and of the attempts whose provider may
 * have worked without saying so, the most expensive one. A request is charged once, however often it was attempted; its
 * highest possible cost is that of all these attempts together, with a full output, because each may be billed.
 */
export async function chargeFailed(
  admitted: ChargedRequest,
  failed: Attempts,
  forecast: Forecast,
): Promise<FailedCharge> {
  const { call, meter, isStrict } = admitted
  const answered = await chargeAnsweredChoices(meter, failed)
  const billable = failed.filter(({ failure }) => mayBeBilled(failure))
  if (billable.length === 0) return answered
  await meter.prepare()
  const max = sumOpen(failed, (route) => maxCost(route, route.bound.output, admitted.discountPercent))
  const charged = billable
    .map((attempt) => {
      const { route, failure } = attempt
      if (isSettled(failure)) return { attempt, charge: meter.settledCharge(route, failure.usage) }
      const likely = likelyUnseen(route, call, forecast)
      return { attempt, charge: meter.unsettledCharge(route, failure.usage, { likely, max }) }
    })
    .reduce((highest, each) => (rank(each.charge) >= rank(highest.charge) ? each : highest))
  const others = failed.filter((attempt) => attempt !== charged.attempt)
  let heldNano = computeWorstCaseOfFailed(others, admitted, forecast)
  const { route: candidate, failure } = charged.attempt
  // A stream ends at its provider with its connection, so what is charged for it is not exceeded by much, unless the provider has
  // added to its prompt.
  const isStopped = call.request.stream && !isStrict && !candidate.bound.external
  if (!isSettled(failure) && !isStopped) {
    const beyond = worstCase(candidate, admitted, forecast) - (charged.charge.costNano ?? 0)
    heldNano = addUsd(heldNano, nanoUsd(Math.max(0, beyond)))
  }
  return { charge: addCharges(charged.charge, answered.charge), heldNano, candidate }
}

/** The highest possible cost of the attempts that failed, as far as their provider may bill them. */
export function computeWorstCaseOfFailed(
  failed: Attempts,
  admitted: Omit<ChargedRequest, 'meter'>,
  forecast: Forecast,
): NanoUsd {
  return sumOpen(failed, (route) => worstCase(route, admitted, forecast))
}

/** The sum over the attempts that may be billed, and whose provider has not said how much. */
function sumOpen(failed: Attempts, computeCost: (candidate: Candidate) => NanoUsd): NanoUsd {
  let sum = ZERO_USD
  for (const { route, failure } of failed)
    if (mayBeBilled(failure) && !isSettled(failure)) sum = addUsd(sum, computeCost(route))
  return sum
}

/**
 * The highest possible cost of an attempt without an answer. A stream ends at its provider when its connection is closed,
 * so without a strict limit only a likely output is assumed.
 */
function worstCase(
  candidate: Candidate,
  { call, discountPercent, isStrict }: Omit<ChargedRequest, 'meter'>,
  forecast: Forecast,
): NanoUsd {
  const { request, key } = call
  const isShort = request.stream === true && !isStrict
  const output = isShort ? likelyOutput(candidate, request, key.id, forecast) : candidate.bound.output
  return maxCost(candidate, output, discountPercent)
}

/** Output tokens that a call without an answer has likely had. What a stream has not shown is only its reasoning. */
export function likelyUnseen(
  candidate: Candidate,
  { request, key }: InferenceCall,
  forecast: Forecast,
): number {
  if (request.stream && !candidate.offer.capabilities.includes('reasoning')) return 0
  return likelyOutput(candidate, request, key.id, forecast)
}

interface AnsweredCharge {
  candidate: Candidate
  charge: Charge
  failed: Attempts
  /** Whether a stream was ended before its provider had said all that it bills. */
  interrupted?: boolean
}

/**
 * What may still be billed of a request that was answered: the attempts that failed before, and a report that was not believed, up to
 * the price of a full context window and a full output. Of an interrupted stream also what its provider may have added to the
 * prompt, and what it has not reported or shown; under a strict limit all that the bound has beyond a charge that is only estimated.
 */
export function heldAfter(
  admitted: ChargedRequest,
  { candidate, charge, failed, interrupted }: AnsweredCharge,
  forecast: Forecast,
): NanoUsd {
  const { isStrict, discountPercent, meter } = admitted
  const { costStatus, costNano, costHighNano, usage } = charge
  const before = computeWorstCaseOfFailed(failed, admitted, forecast)
  if (costStatus !== 'estimated' || costNano === null) return before
  const { bound } = candidate
  const doubted = costHighNano === null ? 0 : Math.min(costHighNano, possibleCost(candidate, discountPercent))
  const isCut = !isStrict && interrupted === true
  const output = isStrict ? bound.output : Math.ceil(meter.producedTokens(candidate) / bound.calls)
  const most = isStrict || (isCut && bound.external) ? maxCost(candidate, output, discountPercent) : 0
  const held = addUsd(before, nanoUsd(Math.max(0, Math.max(doubted, most) - costNano)))
  if (!isCut) return held
  const unshown = hiddenReasoning(candidate, admitted, forecast)
  return addUsd(held, bound.external ? unshown : addUsd(meter.costOfUnreported(candidate, usage), unshown))
}

/** The likely cost of the reasoning in a stream that was ended before its report, if none of it was shown. */
function hiddenReasoning(candidate: Candidate, admitted: ChargedRequest, forecast: Forecast): NanoUsd {
  const { call, meter, discountPercent } = admitted
  if (candidate.likelyReasoning === undefined || !meter.mayHideReasoning) return ZERO_USD
  const produced = meter.producedTokens(candidate)
  const likely = Math.max(produced, likelyOutput(candidate, call.request, call.key.id, forecast))
  const cost = (output: number) => maxCost(candidate, output, discountPercent)
  return nanoUsd(cost(likely) - cost(produced))
}

/** The charge of choices that were answered before the others failed. */
export async function chargeAnsweredChoices(
  meter: AdmittedRequest['meter'],
  failed: Attempts,
): Promise<FailedCharge> {
  let all = NO_CHARGE
  for (const { route, answered } of failed)
    for (const answer of answered) {
      const charge = addCharges(all.charge, await meter.chargeOfAnswer(route, answer))
      all = { ...all, charge, candidate: route }
    }
  return all
}

/** An unknown cost counts less than any known one. */
function rank({ costNano }: Charge): number {
  return costNano ?? -1
}
