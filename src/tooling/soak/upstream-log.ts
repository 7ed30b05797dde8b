// Owns what the callers were told: every acknowledged answer with its cost, and what must come again when asked again.
import type { Heard } from './client.ts'

/** A chat that was asked for. Its tag is in the prompt, and in the User-Agent, which the request's row keeps. */
export interface Call {
  tag: string
  keyId: string
  secret: string
  model: string
  body: string
  stream: boolean
  idempotencyKey: string | null
}

/** The answer came whole, and with its cost: from here on, the charge must be in the ledger as it was told. */
export interface Acknowledged {
  call: Call
  requestId: string
  /** `X-Service-Cost-Usd`, as it was told. */
  cost: string
  /** What the provider's report comes to; null when it did not report one plain truth. */
  expectedNano: number | null
}

export interface SoakKey {
  id: string
  secret: string
  /** The highest cap that was ever asked for; null for a key without. */
  highestCapUsd: number | null
  /** Its revocation was asked for: it may have come to pass, though nobody heard so. */
  givenUp: boolean
  /** Its revocation was acknowledged. */
  revoked: boolean
}

export class Books {
  readonly keys: SoakKey[] = []
  /** By request id. */
  readonly acknowledged = new Map<string, Acknowledged>()
  /** Idempotent calls that were acknowledged, with what must be replayed. */
  readonly replayable: { call: Call; heard: Heard }[] = []
  /** Idempotent calls whose callers never heard the end. */
  unheard: Call[] = []
  /** The tags of calls that carry an Idempotency-Key: each may be charged once, however often it was sent. */
  readonly idempotentTags = new Set<string>()
  #calls = 0

  nextTag(): string {
    this.#calls += 1
    return `call-${this.#calls}`
  }

  get calls(): number {
    return this.#calls
  }
}

/** The cost that an answer tells, when it came to its proper end; null for any other. */
export function costTold(call: Call, { status, whole, headers, trailers, text }: Heard): string | null {
  if (status !== 200 || !whole) return null
  if (call.stream && !text.endsWith('data: [DONE]\n\n')) return null
  const cost = headers['x-service-cost-usd'] ?? trailers['x-service-cost-usd']
  return typeof cost === 'string' ? cost : null
}
