import { addUsd, type NanoUsd, nanoUsd, ZERO_USD } from '../../shared/money/money.ts'
import type { Budget } from '../spend/budget.ts'
import { MAX_REQUEST_NANO } from '../spend/cost.ts'
import type { Need } from '../spend/reservation.ts'
import type { AnsweredDispatch } from './dispatch.ts'
import { computeWorstCaseOfFailed } from './failed-charge.ts'
import type { Candidate } from './quote.ts'
import type { Run } from './run.ts'

/** Share of what was produced that is reserved ahead, where that is more than was likely at the start. */
const AHEAD = 0.25

/**
 * Limits a stream to its reservation. Each batch is booked when it arrives, and the reservation is extended ahead of the next
 * one. Nothing waits: a stream that may not go on is aborted.
 */
export class StreamSpend {
  readonly #run: Run
  readonly #budget: Budget
  readonly #candidate: Candidate
  /** The amount that stays reserved for earlier failed attempts, which their provider may bill. */
  readonly #failedNano: NanoUsd
  /** Output tokens that are reserved at a time. */
  readonly #step: number
  /** Multiplies the usual bound. */
  readonly #factor: number
  /** Nano-dollars for one output token, at the highest rate. */
  readonly #maxRate: number
  #maxPromptCost: NanoUsd
  #promptReported = false
  #promptCounted = false
  /** Output tokens that have come, and those that the reservation covers. */
  #produced = 0
  #covered = 0
  /**
   * The highest cost that was expected of the stream so far, without what was learned from earlier requests: the worst case where
   * that is reserved from the start.
   */
  baseNano: NanoUsd = ZERO_USD

  constructor(run: Run, { candidate, failed }: Pick<AnsweredDispatch, 'candidate' | 'failed'>) {
    const { bound, quote } = candidate
    this.#run = run
    this.#budget = run.deps.budget
    this.#candidate = candidate
    this.#failedNano = computeWorstCaseOfFailed(failed)
    this.#step = Math.max(1, quote.likely * bound.calls)
    this.#factor = quote.factor
    this.#maxRate = quote.tokenRate
    this.#maxPromptCost = quote.upTo(0)
    const isWhole = run.entry.reservation.end === null
    this.baseNano = isWhole
      ? nanoUsd(quote.most * quote.priceFactor)
      : this.#maxCost(this.#step, quote.priceFactor)
  }

  /** Whether a limit may end the stream, so that it has to be read as fast as its provider writes. */
  get isMetered(): boolean {
    const { reservation } = this.#run.entry
    return reservation.end !== null && this.#budget.isLimited(reservation)
  }

  /** Books what has come, and reserves for what comes next unless the stream has `ended`. Aborts streams for which nothing is left. */
  record(ended: boolean): void {
    const { meter, entry, inFlight } = this.#run
    const { reservation } = entry
    // The whole worst case is reserved, or nothing costs anything.
    if (reservation.end === null || this.#maxRate === 0) return
    const produced = meter.producedTokens(this.#candidate)
    const batch = produced - this.#produced
    const unbooked = Math.max(0, batch - this.#unseen)
    this.#produced = produced
    this.#readReport()
    if (ended || meter.isComplete || inFlight.signal.aborted)
      this.#budget.book(reservation, this.#measure(batch).booked)
    else if (produced + batch >= this.#covered) this.#extend(batch)
    else this.#budget.book(reservation, addUsd(reservation.booked, this.#priceOutput(unbooked)))
  }

  #extend(batch: number): void {
    const { meter, entry } = this.#run
    const need = this.#measure(batch)
    this.baseNano = nanoUsd(
      Math.max(this.baseNano, this.#maxCost(this.#end, this.#candidate.quote.priceFactor)),
    )
    const extended = this.#budget.extend(entry.reservation, need)
    if (extended === null) return
    if (extended < need.target && !this.#promptCounted) {
      // Near the limit the estimate of the prompt decides how far the last stream may go. It holds until the count is there.
      this.#promptCounted = true
      void meter.prepare()
    }
    const isBooked = addUsd(need.booked, need.least) <= extended
    const tokens = isBooked
      ? (extended - need.booked) / (this.#maxRate * this.#factor) + this.#unseen
      : (extended - need.likely) / this.#maxRate
    this.#covered = this.#produced + Math.max(1, Math.min(Math.floor(tokens), this.#ahead))
  }

  /** Tokens of the next part. */
  get #ahead(): number {
    return Math.max(this.#step, Math.ceil(this.#produced * AHEAD))
  }

  /** Tokens of reasoning that are likely although nothing of them was sent. They are booked. */
  get #unseen(): number {
    const isHidden = this.#candidate.quote.reasons && this.#run.meter.mayHideReasoning
    return isHidden ? Math.max(0, this.#step - this.#produced) : 0
  }

  /** Tokens at the end of the next part. */
  get #end(): number {
    return this.#produced + Math.max(this.#ahead, this.#unseen)
  }

  /** `batch`: the output tokens that came last. */
  #measure(batch: number): Need {
    const failed = this.#failedNano
    const { meter } = this.#run
    const cost = meter.computeCharge(this.#candidate, true).costNano ?? ZERO_USD
    const most = meter.isComplete ? 0 : this.#maxCost(this.#produced + this.#unseen)
    return {
      target: addUsd(failed, this.#maxCost(this.#end)),
      booked: addUsd(failed, nanoUsd(Math.max(most, cost))),
      likely: addUsd(failed, cost),
      least: this.#priceOutput(Math.max(0, Math.max(1, batch) - this.#unseen)),
    }
  }

  /**
   * Replaces the bound of the prompt by the provider's count, and releases what is not needed. A prompt that the provider may
   * still add to keeps its bound.
   */
  #readReport(): void {
    const { meter, entry } = this.#run
    const candidate = this.#candidate
    if (this.#promptReported || !meter.isReported || candidate.bound.external) return
    const prompt = meter.reportedPromptCost(candidate)
    if (prompt === null) return
    this.#promptReported = true
    this.#maxPromptCost = prompt
    const most = this.#maxCost(this.#produced + this.#step)
    this.#budget.shrink(entry.reservation, addUsd(this.#failedNano, most))
  }

  #priceOutput(tokens: number): NanoUsd {
    return nanoUsd(Math.ceil(tokens * this.#maxRate * this.#factor))
  }

  #maxCost(tokens: number, factor = this.#factor): NanoUsd {
    const cost = (this.#maxPromptCost + tokens * this.#maxRate) * factor
    return nanoUsd(Math.min(Math.ceil(cost), MAX_REQUEST_NANO))
  }
}
