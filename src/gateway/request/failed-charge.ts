import { addUsd, type NanoUsd, nanoUsd, ZERO_USD } from '../../shared/money/money.ts'
import type { PlainAnswer } from '../formats/chat/events.ts'
import { isSettled, mayBeBilled, type UpstreamFailure } from '../formats/chat/failure.ts'
import { addCharges, type Charge, FREE } from './charge.ts'
import type { Candidate, Quote } from './quote.ts'
import type { TokenMeter } from './token-meter.ts'

/** A failed attempt. Its provider may still have worked, and may bill it. */
export interface FailedAttempt {
  candidate: Candidate
  failure: UpstreamFailure
  /** Choices that this candidate had answered when its last attempt failed; each was billed. */
  answered: readonly PlainAnswer[]
}

export interface FailedCharge {
  charge: Charge
  /** The amount that may still be billed beyond the charge. It stays reserved for a while. */
  heldNano: NanoUsd
  /** Null where nothing is charged. */
  candidate: Candidate | null
}

export const NO_CHARGE: FailedCharge = { charge: FREE, heldNano: ZERO_USD, candidate: null }

type Attempts = readonly FailedAttempt[]

/**
 * The charge of a request without an answer: the choices that were answered, and of the attempts whose provider may
 * have worked without saying so, the most expensive one. A request is charged once, however often it was attempted; its
 * highest possible cost is that of all these attempts together, with a full output, because each may be billed.
 */
export async function chargeFailed(meter: TokenMeter, failed: Attempts): Promise<FailedCharge> {
  const answered = await chargeAnsweredChoices(meter, failed)
  const billable = failed.filter(({ failure }) => mayBeBilled(failure))
  if (billable.length === 0) return answered
  await meter.prepare()
  const max = sumOpen(failed, ({ most }) => most)
  const charged = billable
    .map((attempt) => {
      const { candidate, failure } = attempt
      const charge = isSettled(failure)
        ? meter.settledCharge(candidate, failure.usage)
        : meter.unsettledCharge(candidate, failure.usage, { likely: candidate.quote.unseen, max })
      return { attempt, charge }
    })
    .reduce((highest, each) => (rank(each.charge) >= rank(highest.charge) ? each : highest))
  const others = failed.filter((attempt) => attempt !== charged.attempt)
  const { candidate, failure } = charged.attempt
  const { quote, bound } = candidate
  // A stream ends at its provider with its connection, so what is charged for it is not exceeded by much, unless the provider has
  // added to its prompt.
  const mayGoOn = !isSettled(failure) && (!quote.isMetered || bound.external)
  const own = mayGoOn ? Math.max(0, quote.ofFailed - (charged.charge.costNano ?? 0)) : 0
  const heldNano = addUsd(computeWorstCaseOfFailed(others), nanoUsd(own))
  return { charge: addCharges(charged.charge, answered.charge), heldNano, candidate }
}

/** The highest possible cost of the attempts that failed, as far as their provider may bill them. */
export function computeWorstCaseOfFailed(failed: Attempts): NanoUsd {
  return sumOpen(failed, ({ ofFailed }) => ofFailed)
}

/** The sum over the attempts that may be billed, and whose provider has not said how much. */
function sumOpen(failed: Attempts, getCost: (quote: Quote) => NanoUsd): NanoUsd {
  let sum = ZERO_USD
  for (const { candidate, failure } of failed)
    if (mayBeBilled(failure) && !isSettled(failure)) sum = addUsd(sum, getCost(candidate.quote))
  return sum
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
  { meter, isStrict }: { meter: TokenMeter; isStrict: boolean },
  { candidate, charge, failed, interrupted = false }: AnsweredCharge,
): NanoUsd {
  const { costStatus, costNano, costHighNano, usage } = charge
  const earlierWorst = computeWorstCaseOfFailed(failed)
  if (costStatus !== 'estimated' || costNano === null) return earlierWorst
  const { bound, quote } = candidate
  const doubted = Math.min(costHighNano ?? 0, quote.possible)
  const isCut = !isStrict && interrupted
  const produced = meter.producedTokens(candidate)
  const most = isStrict
    ? quote.most
    : isCut && bound.external
      ? quote.upTo(Math.ceil(produced / bound.calls))
      : 0
  const held = addUsd(earlierWorst, nanoUsd(Math.max(0, Math.max(doubted, most) - costNano)))
  if (!isCut) return held
  const isHidden = quote.reasons && meter.mayHideReasoning
  const unshown = isHidden ? quote.upTo(Math.max(produced, quote.likely)) - quote.upTo(produced) : 0
  const unreported = bound.external ? ZERO_USD : meter.costOfUnreported(candidate, usage)
  return addUsd(held, addUsd(unreported, nanoUsd(unshown)))
}

/** The charge of choices that were answered before the others failed. */
export async function chargeAnsweredChoices(meter: TokenMeter, failed: Attempts): Promise<FailedCharge> {
  let all = NO_CHARGE
  for (const { candidate, answered } of failed)
    for (const answer of answered) {
      const charge = addCharges(all.charge, await meter.chargeOfAnswer(candidate, answer))
      all = { ...all, charge, candidate }
    }
  return all
}

/** An unknown cost counts less than any known one. */
function rank({ costNano }: Charge): number {
  return costNano ?? -1
}
