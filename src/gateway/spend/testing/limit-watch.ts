import { type NanoUsd, nanoToUsd, nanoUsd } from '../../../shared/money/money.ts'
import type { Budget } from '../budget.ts'
import type { Limit } from '../limit.ts'
import type { Reservation } from '../reservation.ts'

/**
 * The invariant of all limits that stop. Under each, what is spent, what streams have booked and the worst case of plain calls may
 * exceed it by one request and one batch of each stream; under a strict limit by nothing. The one request is the largest that ran:
 * the worst case of a plain call, or the prompt of a stream. It is remembered, because its cost is spent once it is settled.
 */
export class LimitWatch {
  readonly #budget: Pick<Budget, 'open' | 'limits'>
  readonly #seen = new WeakSet<Reservation>()
  readonly #largest = new Map<Limit, number>()
  readonly #streams = new Map<Limit, number>()

  constructor(budget: Pick<Budget, 'open' | 'limits'>) {
    this.#budget = budget
  }

  /** Names the limits that are passed. To be called after each step. `batchNano`: the cost of the largest batch. */
  check(batchNano: NanoUsd): string[] {
    const open = [...this.#budget.open]
    for (const reservation of open) this.#note(reservation)
    const limits = new Set(open.flatMap((reservation) => reservation.limits.stops))
    return [...limits].flatMap((limit) => {
      const excess = this.#findExcess(limit, open, batchNano)
      const { usd, per } = limit.terms
      return excess > 0 ? [`${usd} USD per ${per} are passed by ${nanoToUsd(nanoUsd(excess))} USD`] : []
    })
  }

  #note(reservation: Reservation): void {
    if (this.#seen.has(reservation) || reservation.held) return
    this.#seen.add(reservation)
    for (const limit of reservation.limits.stops) {
      this.#largest.set(limit, Math.max(this.#largest.get(limit) ?? 0, reservation.booked))
      if (reservation.end) this.#streams.set(limit, (this.#streams.get(limit) ?? 0) + 1)
    }
  }

  #findExcess(limit: Limit, open: readonly Reservation[], batchNano: NanoUsd): number {
    if (limit.limitNano === Infinity || limit.terms.action === 'ask') return 0
    const under = open.filter(({ limits, number }) => limits.stops.includes(limit) && limit.counts(number))
    const total = under.reduce(
      (sum, { held, end, amount, booked }) => sum + (end && !held ? booked : amount),
      Number(limit.spentNano),
    )
    const isStrict = under.some(({ subject, limits }) =>
      this.#budget.limits.findStrict(subject, limits).includes(limit),
    )
    const batches = (this.#streams.get(limit) ?? 0) * batchNano
    const allowed = isStrict ? 0 : (this.#largest.get(limit) ?? 0) + batches
    return total - limit.limitNano - allowed
  }
}
