// Holds a stream to its reservation: what has come is metered before it is passed on, and room for more is asked for
// ahead of it.
import { addUsd, type NanoUsd, nanoUsd, ZERO_USD } from '../../shared/money.ts'
import type { Budget, Reservation } from '../billing/budget.ts'
import { MOST_NANO } from '../billing/cost.ts'
import type { Candidate } from './candidates.ts'
import type { Meter } from './meter.ts'
import { dearest, mostCost } from './worst-case.ts'

/** Share of what has come that is reserved ahead, where that is more than was likely at the start. */
const AHEAD = 0.25

export interface StreamSpendInput {
  budget: Budget
  reservation: Reservation
  meter: Meter
  candidate: Candidate
  discountPercent: number
  /** Output tokens that are likely, and reserved at a time. */
  step: number
  /** How often the usual bound is taken, as the forecast says. */
  factor: number
  signal: AbortSignal
}

export class StreamSpend {
  readonly #input: StreamSpendInput
  /** Nano-dollars for one output token, at the usual and at the dearest rate. */
  readonly #rate: number
  readonly #dearestRate: number
  #promptMost: NanoUsd
  #promptReported = false
  #promptCounted = false
  /** Produced tokens up to which the stream may go on without asking. */
  #covered: number
  /** What the stream was expected to come to at the most, when it last asked. */
  expectedNano: NanoUsd = ZERO_USD

  constructor(input: StreamSpendInput) {
    this.#input = input
    const { offer, bound } = input.candidate
    const rates = offer.price?.rates(bound.prompt)
    const share = (100 - input.discountPercent) / 100
    this.#rate = (rates?.output ?? 0) * 1_000 * share
    this.#dearestRate = rates ? dearest(rates).output * 1_000 * share : 0
    this.#promptMost = mostCost(offer, bound, 0, input.discountPercent)
    this.#covered = this.#dearestRate === 0 ? Infinity : 0
  }

  /** Whether what has come so far is covered by the reservation. */
  get isCovered(): boolean {
    return this.#input.meter.producedTokens(this.#input.candidate) < this.#covered
  }

  /**
   * Makes room for what comes next, after a pause where there is none now. Throws StreamCutError when the stream may not go
   * on, and the signal's reason when that aborts.
   */
  async advance(): Promise<void> {
    const { budget, reservation, meter, candidate, signal } = this.#input
    const tokens = meter.producedTokens(candidate)
    const ahead = Math.max(this.#input.step, Math.ceil(tokens * AHEAD))
    const want = this.#most(tokens + ahead)
    this.expectedNano = want
    if (!budget.fits(reservation, want) && !this.#promptCounted) {
      // Near the limit the estimate of the prompt decides how far the stream may go: it must be what would be charged.
      this.#promptCounted = true
      await meter.prepare()
    }
    const consumed = meter.consumed(candidate, true).costNano ?? ZERO_USD
    const next = addUsd(consumed, nanoUsd(Math.ceil(ahead * this.#rate)))
    const upTo = await budget.extend(reservation, { want, consumed, next }, signal)
    this.#covered = tokens + Math.max(1, Math.floor((upTo - consumed) / this.#dearestRate))
  }

  /** Takes the provider's count of the prompt in the place of the bound, and gives back what is not needed. */
  noteUsage(): void {
    if (this.#promptReported || this.#covered === Infinity) return
    const { budget, reservation, meter, candidate } = this.#input
    const prompt = meter.reportedPromptCost(candidate)
    if (prompt === null) return
    this.#promptReported = true
    this.#promptMost = prompt
    budget.shrink(reservation, this.#most(meter.producedTokens(candidate) + this.#input.step))
  }

  #most(tokens: number): NanoUsd {
    const cost = (this.#promptMost + tokens * this.#dearestRate) * this.#input.factor
    return nanoUsd(Math.min(Math.ceil(cost), MOST_NANO))
  }
}
