import { addUsd, type NanoUsd, nanoUsd, ZERO_USD } from '../../shared/money/money.ts'
import type { Budget } from '../spend/budget.ts'
import { MAX_REQUEST_NANO } from '../spend/cost.ts'
import type { Need } from '../spend/reservation.ts'
import type { AdmittedRequest, InferenceDeps } from './call.ts'
import type { AnsweredDispatch } from './dispatch.ts'
import { computeWorstCaseOfFailed } from './failed-charge.ts'
import { type Candidate, computeFactor, likelyOutput, maxCost, priceFactor } from './worst-case.ts'

/** Share of what was produced that is reserved ahead, where that is more than was likely at the start. */
const AHEAD = 0.25

/**
 * Limits a stream to its reservation. Each batch is booked when it arrives, and the reservation is extended ahead of the next
 * one. Nothing waits: a stream that may not go on is aborted.
 */
export class StreamSpend {
  readonly #admitted: AdmittedRequest
  readonly #budget: Budget
  readonly #candidate: Candidate
  /** The amount that stays reserved for earlier failed attempts, which their provider may bill. */
  readonly #failedNano: NanoUsd
  /** Output tokens that are reserved at a time. */
  readonly #step: number
  /** Multiplies the usual bound. */
  readonly #factor: number
  /** Nano-dollars for one output token, at the usual and at the highest rate. */
  readonly #rate: number
  readonly #maxRate: number
  #maxPromptCost: NanoUsd
  #promptReported = false
  #promptCounted = false
  /** Output tokens that have come, and those that the reservation covers. */
  #produced = 0
  #covered = 0
  /** The highest expected cost of the stream at its last extension, without what was learned from earlier requests. */
  baseNano: NanoUsd = ZERO_USD

  constructor(
    admitted: AdmittedRequest,
    { route: candidate, failed }: Pick<AnsweredDispatch, 'route' | 'failed'>,
    { budget, forecast }: Pick<InferenceDeps, 'budget' | 'forecast'>,
  ) {
    const { call, discountPercent } = admitted
    const { bound } = candidate
    this.#admitted = admitted
    this.#budget = budget
    this.#candidate = candidate
    this.#failedNano = computeWorstCaseOfFailed(failed, admitted, forecast)
    this.#step = Math.max(1, likelyOutput(candidate, call.request, call.key.id, forecast) * bound.calls)
    this.#factor = computeFactor(candidate, forecast)
    const { price } = candidate.offer
    const rates = price?.rates(bound.prompt, bound.tier)
    const share = (100 - discountPercent) / 100
    this.#rate = (rates?.output ?? 0) * 1_000 * share
    this.#maxRate = (price?.maxRates(bound.prompt, bound.tier).output ?? 0) * 1_000 * share
    this.#maxPromptCost = maxCost(candidate, 0, discountPercent)
    this.baseNano = this.#maxCost(this.#step, priceFactor(candidate))
  }

  /** Whether a limit may end the stream, so that it has to be read as fast as its provider writes. */
  get isMetered(): boolean {
    const { reservation } = this.#admitted.entry
    return reservation.end !== null && this.#budget.isLimited(reservation)
  }

  /** Books what has come, and reserves for what comes next unless the stream has `ended`. Aborts streams for which nothing is left. */
  record(ended: boolean): void {
    const { meter, entry, inFlight } = this.#admitted
    const { reservation } = entry
    // The whole worst case is reserved, or nothing costs anything.
    if (reservation.end === null || this.#maxRate === 0) return
    const produced = meter.producedTokens(this.#candidate)
    const batch = produced - this.#produced
    this.#produced = produced
    this.#readReport()
    if (ended || inFlight.signal.aborted) this.#budget.book(reservation, this.#measure(batch).booked)
    else if (produced + batch >= this.#covered) this.#extend(batch)
    else this.#budget.book(reservation, addUsd(reservation.booked, this.#priceOutput(batch, this.#rate)))
  }

  #extend(batch: number): void {
    const { meter, entry } = this.#admitted
    const need = this.#measure(batch)
    const extended = this.#budget.extend(entry.reservation, need)
    if (extended === null) return
    if (extended < need.target && !this.#promptCounted) {
      // Near the limit the estimate of the prompt decides how far the stream may go. It holds until the count is there.
      this.#promptCounted = true
      void meter.prepare()
    }
    const base = extended >= need.booked ? need.booked : need.likely
    const tokens = Math.floor((extended - base) / this.#maxRate)
    this.#covered = this.#produced + Math.max(1, Math.min(tokens, this.#ahead))
  }

  /** Tokens of the next part. */
  get #ahead(): number {
    return Math.max(this.#step, Math.ceil(this.#produced * AHEAD))
  }

  /** `batch`: the output tokens that came last. */
  #measure(batch: number): Need {
    const { meter } = this.#admitted
    const candidate = this.#candidate
    const failed = this.#failedNano
    const end = this.#produced + this.#ahead
    this.baseNano = this.#maxCost(end, priceFactor(candidate))
    const likely = addUsd(failed, meter.computeCharge(candidate, true).costNano ?? ZERO_USD)
    const most = candidate.bound.external ? addUsd(failed, this.#maxCost(this.#produced)) : likely
    return {
      target: addUsd(failed, this.#maxCost(end)),
      booked: nanoUsd(Math.max(most, likely)),
      likely,
      ahead: this.#priceOutput(this.#ahead, this.#maxRate),
      least: this.#priceOutput(Math.max(1, batch), this.#maxRate),
    }
  }

  /**
   * Replaces the bound of the prompt by the provider's count, and releases what is not needed. A prompt that the provider may
   * still add to keeps its bound.
   */
  #readReport(): void {
    const { meter, entry } = this.#admitted
    const candidate = this.#candidate
    if (this.#promptReported || !meter.isReported || candidate.bound.external) return
    const prompt = meter.reportedPromptCost(candidate)
    if (prompt === null) return
    this.#promptReported = true
    this.#maxPromptCost = prompt
    const most = this.#maxCost(this.#produced + this.#step)
    this.#budget.shrink(entry.reservation, addUsd(this.#failedNano, most))
  }

  #priceOutput(tokens: number, rate: number): NanoUsd {
    return nanoUsd(Math.ceil(tokens * rate))
  }

  #maxCost(tokens: number, factor = this.#factor): NanoUsd {
    const cost = (this.#maxPromptCost + tokens * this.#maxRate) * factor
    return nanoUsd(Math.min(Math.ceil(cost), MAX_REQUEST_NANO))
  }
}
