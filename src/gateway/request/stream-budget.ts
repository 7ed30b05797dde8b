import { addUsd, type NanoUsd, nanoUsd, ZERO_USD } from '../../shared/money/money.ts'
import type { Approvals } from '../spend/approvals.ts'
import type { Budget } from '../spend/budget.ts'
import { MAX_REQUEST_NANO } from '../spend/cost.ts'
import type { Need } from '../spend/reservation.ts'
import type { AdmittedRequest, InferenceDeps } from './call.ts'
import type { AnsweredDispatch } from './dispatch.ts'
import { computeWorstCaseOfFailed } from './failed-charge.ts'
import { type Candidate, computeFactor, likelyOutput, maxCost, priceFactor } from './worst-case.ts'

/** Share of what was produced that is reserved ahead, where that is more than was likely at the start. */
const AHEAD = 0.25

/** The amount of a stream that has arrived, and the reservation that it needs. */
interface Measurement {
  /** Produced so far. */
  tokens: number
  need: Need
}

/**
 * Limits a stream to its reservation: its chunks are metered before they are passed on, and the reservation is extended
 * ahead of them.
 */
export class StreamSpend {
  readonly #admitted: AdmittedRequest
  readonly #budget: Budget
  readonly #approvals: Approvals
  readonly #candidate: Candidate
  /** The amount that stays reserved for earlier failed attempts, which their provider may bill. */
  readonly #beforeNano: NanoUsd
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
  /** Produced tokens that the reservation covers. */
  #covered: number
  #measured: Measurement
  /** The highest expected cost of the stream at its last extension, without what was learned from earlier requests. */
  baseNano: NanoUsd = ZERO_USD

  constructor(
    admitted: AdmittedRequest,
    { route: candidate, failed }: Pick<AnsweredDispatch, 'route' | 'failed'>,
    { budget, approvals, forecast }: Pick<InferenceDeps, 'budget' | 'approvals' | 'forecast'>,
  ) {
    const { call, discountPercent, isStrict } = admitted
    const { bound } = candidate
    this.#admitted = admitted
    this.#budget = budget
    this.#approvals = approvals
    this.#candidate = candidate
    this.#beforeNano = computeWorstCaseOfFailed(failed, admitted, forecast)
    this.#step = Math.max(1, likelyOutput(candidate, call.request, call.key.id, forecast) * bound.calls)
    this.#factor = computeFactor(candidate, forecast)
    const { price } = candidate.offer
    const rates = price?.rates(bound.prompt, bound.tier)
    const share = (100 - discountPercent) / 100
    this.#rate = (rates?.output ?? 0) * 1_000 * share
    this.#maxRate = (price?.maxRates(bound.prompt, bound.tier).output ?? 0) * 1_000 * share
    this.#maxPromptCost = maxCost(candidate, 0, discountPercent)
    this.#measured = this.#measure()
    // Under a strict limit, the whole worst case is reserved already.
    this.#covered = this.#maxRate === 0 || isStrict ? Infinity : 0
  }

  /** Whether what has come so far is covered by the reservation. */
  get isCovered(): boolean {
    return this.#admitted.meter.producedTokens(this.#candidate) < this.#covered
  }

  /**
   * Extends the reservation for what comes next, after a wait where there is no budget now. Throws StreamCutError when the
   * stream may not go on, and the signal's reason when that aborts. `duringPause` is called if there is a wait, with its end.
   */
  async extend(duringPause: (end: Promise<unknown>) => Promise<void>): Promise<void> {
    const { meter, entry, inFlight } = this.#admitted
    const { reservation } = entry
    const budget = this.#budget
    if (!budget.fits(reservation, this.#measure().need.target) && !this.#promptCounted) {
      // Near the limit the estimate of the prompt decides how far the stream may go: it must be what would be charged.
      this.#promptCounted = true
      await meter.prepare()
    }
    let upTo: NanoUsd | null = null
    while (upTo === null) {
      this.#measured = this.#measure()
      const extended = budget.extend(reservation, this.#measured.need, inFlight.signal)
      if (reservation.paused) await duringPause(extended)
      upTo = await extended.catch((error: unknown) => this.#waitForMore(error))
    }
    const { tokens, need } = this.#measured
    this.#covered = tokens + Math.max(1, Math.floor((upTo - need.consumed) / this.#maxRate))
  }

  /** Waits until another attempt makes sense. Meanwhile, nothing is read from the provider. Throws `error` if none does. */
  async #waitForMore(error: unknown): Promise<null> {
    const { call, entry, inFlight } = this.#admitted
    const { reservation } = entry
    await this.#approvals.waitForMore(error, {
      ...{ key: call.key, model: call.request.model, sessionId: call.session.id, reason: null },
      ...{ neededNano: this.#measured.need.target, signal: inFlight.signal },
      exempt: (limit) => this.#budget.exempt(reservation, limit),
    })
    return null
  }

  /** To be called for what has come during a pause. */
  consumeAhead(): void {
    this.#measured = this.#measure()
    this.#budget.consumePaused(this.#admitted.entry.reservation, this.#measured.need)
  }

  /** Ends the stream in a pause, because more has come than is kept. */
  endPause(): void {
    this.#budget.endPaused(this.#admitted.entry.reservation)
  }

  #measure(): Measurement {
    const { meter } = this.#admitted
    const candidate = this.#candidate
    const beforeNano = this.#beforeNano
    const tokens = meter.producedTokens(candidate)
    const ahead = Math.max(this.#step, Math.ceil(tokens * AHEAD))
    const target = addUsd(beforeNano, this.#maxCost(tokens + ahead))
    this.baseNano = this.#maxCost(tokens + ahead, priceFactor(candidate))
    const consumed = addUsd(beforeNano, meter.computeCharge(candidate, true).costNano ?? ZERO_USD)
    const next = addUsd(consumed, nanoUsd(Math.ceil(ahead * this.#rate)))
    const held = candidate.bound.external ? addUsd(beforeNano, this.#maxCost(tokens)) : consumed
    return { tokens, need: { target, consumed, next, held } }
  }

  /**
   * Replaces the bound of the prompt by the provider's count, and releases what is not needed. A prompt that the provider may
   * still add to keeps its bound.
   */
  recordUsage(): void {
    const { meter, entry } = this.#admitted
    const candidate = this.#candidate
    if (this.#promptReported || this.#covered === Infinity || candidate.bound.external) return
    const prompt = meter.reportedPromptCost(candidate)
    if (prompt === null) return
    this.#promptReported = true
    this.#maxPromptCost = prompt
    const most = this.#maxCost(meter.producedTokens(candidate) + this.#step)
    this.#budget.shrink(entry.reservation, addUsd(this.#beforeNano, most))
  }

  #maxCost(tokens: number, factor = this.#factor): NanoUsd {
    const cost = (this.#maxPromptCost + tokens * this.#maxRate) * factor
    return nanoUsd(Math.min(Math.ceil(cost), MAX_REQUEST_NANO))
  }
}
