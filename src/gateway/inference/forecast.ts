// What earlier requests teach about the next one's reservation: how long answers usually are, and how far usage has
// passed what was reserved. Kept in memory only; a new process begins with the usual figures.

/** Tokens that a stream is taken to need where less is known. */
const USUAL_OUTPUT = 1_000
const REMEMBERED_ANSWERS = 100
const REMEMBERED_PAIRS = 2_000
const MOST_FACTOR = 100

export interface Observed {
  keyId: string
  model: string
  tokensOut: number
  costNano: number
  /** What the request was expected to come to at the most, by the factor of its time. */
  expectedNano: number
}

export class Forecast {
  /** Output tokens of the last answers, by key and model; the pair that was used last comes last. */
  readonly #outputs = new Map<string, number[]>()
  readonly #factors = new Map<string, number>()

  /** Output tokens to reserve for a stream at its start: the larger of 1,000 and the 95th percentile of such answers. */
  likelyOutput(keyId: string, model: string): number {
    const outputs = this.#outputs.get(pair(keyId, model))
    if (!outputs) return USUAL_OUTPUT
    const sorted = outputs.toSorted((a, b) => a - b)
    return Math.max(USUAL_OUTPUT, sorted[Math.ceil(sorted.length * 0.95) - 1] ?? 0)
  }

  /** How often the usual bound must be taken for this model; 1 unless usage has passed it. */
  factor(model: string): number {
    return this.#factors.get(model) ?? 1
  }

  /** Learns from a request whose usage the provider has counted. */
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
      this.#factors.set(model, Math.min(MOST_FACTOR, factor))
    }
  }
}

function pair(keyId: string, model: string): string {
  return `${keyId} ${model}`
}
