/** Tokens that are reserved for a stream at least. */
const MIN_OUTPUT = 1_000
const REMEMBERED_ANSWERS = 100
const REMEMBERED_PAIRS = 2_000
const MAX_FACTOR = 100

export interface Observed {
  keyId: string
  model: string
  tokensOut: number
  costNano: number
  /** The highest expected cost when the request was made. */
  expectedNano: number
}

/** The output tokens of the last answers. */
class Answers {
  /** In the order in which they came; a full list begins again at `#next`. */
  readonly #tokens: number[] = []
  readonly #sorted: number[] = []
  #next = 0

  add(tokens: number): void {
    const oldest = this.#tokens[this.#next]
    if (oldest !== undefined) this.#sorted.splice(lowerBound(this.#sorted, oldest), 1)
    this.#sorted.splice(lowerBound(this.#sorted, tokens), 0, tokens)
    this.#tokens[this.#next] = tokens
    this.#next = (this.#next + 1) % REMEMBERED_ANSWERS
  }

  /** Of these answers, 95 of 100 have no more tokens. */
  get percentile95(): number {
    return this.#sorted[Math.ceil(this.#sorted.length * 0.95) - 1] ?? 0
  }
}

/** The index of the first number that is not less than `value`. */
function lowerBound(sorted: readonly number[], value: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? 0) < value) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Learns from earlier requests what to reserve for the next: how long answers usually are, and how far usage has exceeded
 * its reservation. In memory only.
 */
export class Forecast {
  /** By key and model; the most recently used pair is last. */
  readonly #answers = new Map<string, Answers>()
  readonly #factors = new Map<string, number>()

  /** Output tokens to reserve for a stream at its start: at least 1,000, or the 95th percentile of such answers. */
  likelyOutput(keyId: string, model: string): number {
    return Math.max(MIN_OUTPUT, this.#answers.get(pair(keyId, model))?.percentile95 ?? 0)
  }

  /** By what the usual bound must be multiplied for this model; 1 unless usage has exceeded it. */
  factor(model: string): number {
    return this.#factors.get(model) ?? 1
  }

  /** For a request whose usage the provider has reported. */
  observe({ keyId, model, tokensOut, costNano, expectedNano }: Observed): void {
    const key = pair(keyId, model)
    const answers = this.#answers.get(key) ?? new Answers()
    answers.add(tokensOut)
    this.#answers.delete(key)
    this.#answers.set(key, answers)
    if (this.#answers.size > REMEMBERED_PAIRS) this.#answers.delete(this.#answers.keys().next().value ?? key)
    if (expectedNano > 0 && costNano > expectedNano) {
      const factor = this.factor(model) * (costNano / expectedNano)
      this.#factors.set(model, Math.min(MAX_FACTOR, factor))
    }
  }
}

function pair(keyId: string, model: string): string {
  return `${keyId} ${model}`
}
