import { type NanoUsd, nanoToUsd } from '../../../shared/money/money.ts'

const BINS = 48
/** Two bins double the amount; the first one ends at a tenth of a cent. */
const BINS_PER_DOUBLING = 2
const FIRST_USD = 0.001
/** After so many active minutes, a minute counts half. */
const HALF_LIFE = 600
const DECAY = 0.5 ** (1 / HALF_LIFE)
/** The number of active minutes below which nothing is known. */
const MIN_MINUTES = 30
/** The habit is what all but this share of the minutes stay below. */
const TOP_SHARE = 0.05

/** How it is stored: the bins that are not empty, with their weights. */
export type StoredHabit = readonly (readonly [bin: number, weight: number])[]

/** The usual spend of a key in a minute in which it spends anything. Its size does not depend on how long it learns. */
export class SpendHabit {
  readonly #weights = new Float64Array(BINS)

  constructor(stored: StoredHabit = []) {
    for (const [bin, weight] of stored) if (bin >= 0 && bin < BINS && weight > 0) this.#weights[bin] = weight
  }

  /** Learns what was spent in one minute. */
  observe(spent: NanoUsd): void {
    for (let bin = 0; bin < BINS; bin++) this.#weights[bin] = this.#weight(bin) * DECAY
    const bin = findBin(nanoToUsd(spent))
    this.#weights[bin] = this.#weight(bin) + 1
  }

  /** The spend in one of the busiest minutes, in USD, rounded up; null while too few are known. */
  get busyUsd(): number | null {
    const total = this.#weights.reduce((sum, weight) => sum + weight, 0)
    if (total < MIN_MINUTES * DECAY ** MIN_MINUTES) return null
    let above = 0
    for (let bin = BINS - 1; bin >= 0; bin--) {
      above += this.#weight(bin)
      if (above > total * TOP_SHARE) return upperEdge(bin)
    }
    return null
  }

  toStored(): StoredHabit {
    return [...this.#weights].flatMap((weight, bin) =>
      weight < 0.01 ? [] : [[bin, Math.round(weight * 100) / 100] as const],
    )
  }

  #weight(bin: number): number {
    return this.#weights[bin] ?? 0
  }
}

function findBin(usd: number): number {
  const bin = Math.ceil(Math.log2(usd / FIRST_USD) * BINS_PER_DOUBLING)
  return Math.min(BINS - 1, Math.max(0, bin))
}

function upperEdge(bin: number): number {
  return FIRST_USD * 2 ** (bin / BINS_PER_DOUBLING)
}
