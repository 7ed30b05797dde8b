import { addUsd, type NanoUsd, ZERO_USD } from '../../../shared/money.ts'

export interface Counted {
  count: number
  cost: NanoUsd
  /** Monotonic milliseconds. */
  since: number
  lastAt: number
}

/** Counts what comes again, of the few kinds that came last. */
export class RecentCounts<Kind> {
  readonly #size: number
  /** A kind that has not come for so long is counted anew; with `fixed`, one that was first counted so long ago. */
  readonly #forgetMs: number
  readonly #fixed: boolean
  /** The one that came last is the last. */
  readonly #kinds = new Map<Kind, Counted>()

  constructor({ size, forgetMs, fixed = false }: { size: number; forgetMs: number; fixed?: boolean }) {
    this.#size = size
    this.#forgetMs = forgetMs
    this.#fixed = fixed
  }

  add(kind: Kind, now: number, cost: NanoUsd = ZERO_USD): Counted {
    const known = this.#kinds.get(kind)
    const isOld = known && now - (this.#fixed ? known.since : known.lastAt) > this.#forgetMs
    const before = known && !isOld ? known : { count: 0, cost: ZERO_USD, since: now, lastAt: now }
    const counted = { ...before, count: before.count + 1, cost: addUsd(before.cost, cost), lastAt: now }
    this.#kinds.delete(kind)
    this.#kinds.set(kind, counted)
    if (this.#kinds.size > this.#size) this.#dropFirst()
    return counted
  }

  #dropFirst(): void {
    for (const kind of this.#kinds.keys()) {
      this.#kinds.delete(kind)
      return
    }
  }
}
