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

/**
 * Learns from earlier requests what to reserve for the next: how long answers usually are, and how far usage has exceeded
 * its reservation. In memory only.
 */
export class Forecast {
  /** Output tokens of the last answers, by key and model; the most recently used pair is last. */
  readonly #outputs = new Map<string, number[]>()
  readonly #factors = new Map<string, number>()

  /** Output tokens to reserve for a stream at its start: at least 1,000, or the 95th percentile of such answers. */
  likelyOutput(keyId: string, model: string): number {
    const outputs = this.#outputs.get(pair(keyId, model))
    if (!outputs) return MIN_OUTPUT
    const sorted = outputs.toSorted((a, b) => a - b)
    return Math.max(MIN_OUTPUT, sorted[Math.ceil(sorted.length * 0.95) - 1] ?? 0)
  }

  /** By what the usual bound must be multiplied for this model; 1 unless usage has exceeded it. */
  factor(model: string): number {
    return this.#factors.get(model) ?? 1
  }

  /** For a request whose usage the provider has reported. */
  observe({ keyId, model, tokensOut, costNano, expectedNano }: Observed): void {
    const key = pair(keyId, model)
    const outputs = this.#outputs.get(key) ?? []
    outputs.push(tokensOut)
    if (outputs.length > REMEMBERED_ANSWERS) outputs.shift()
    this.#outputs.delete(key)
    this.#outputs.set(key, outputs)
    if (this.#outputs.size > REMEMBERED_PAIRS) this.#outputs.delete(this.#outputs.keys().next().value ?? key)
    if (expectedNano > 0 && costNano > expectedNano) {
      const factor = this.factor(model) * (costNano / expectedNano)
      this.#factors.set(model, Math.min(MAX_FACTOR, factor))
    }
  }
}

function pair(keyId: string, model: string): string {
  return `${keyId} ${model}`
}
