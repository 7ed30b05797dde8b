import type { ReceivedResponse } from './client.ts'

/** A chat request. Its tag is in the prompt, and in the User-Agent, which is stored in the request's row. */
export interface Call {
  tag: string
  keyId: string
  secret: string
  model: string
  body: string
  stream: boolean
  idempotencyKey: string | null
}

/** A complete response with its cost: the ledger must contain the reported charge. */
export interface AcknowledgedCall {
  call: Call
  /** The value of `X-Service-Cost-Usd`. */
  cost: string
  /** The cost computed from the provider's usage; null when it did not send exactly one correct report. */
  expectedNano: number | null
}

export interface SoakKey {
  id: string
  secret: string
  /** The highest cap that was ever requested; null for a key without a cap. */
  highestCapUsd: number | null
  /** Its revocation was requested, and may have taken effect even without a response. */
  revocationRequested: boolean
  /** Its revocation was acknowledged. */
  revoked: boolean
}

/** The responses that clients received: complete ones with their costs, and those that a replay must repeat. */
export class Expectations {
  readonly keys: SoakKey[] = []
  /** The acknowledged calls by request id. */
  readonly acknowledged = new Map<string, AcknowledgedCall>()
  /** Idempotent calls that were acknowledged, with what must be replayed. */
  readonly replayable: { call: Call; received: ReceivedResponse }[] = []
  /** Idempotent calls without a complete response. */
  unacknowledged: Call[] = []
  /** The tags of calls with an Idempotency-Key: each may be charged only once, however often it is sent. */
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

/** The cost that a complete response reports; null for any other. */
export function readReportedCost(
  call: Call,
  { status, complete, headers, trailers, text }: ReceivedResponse,
): string | null {
  if (status !== 200 || !complete) return null
  if (call.stream && !text.endsWith('data: [DONE]\n\n')) return null
  const cost = headers['x-service-cost-usd'] ?? trailers['x-service-cost-usd']
  return typeof cost === 'string' ? cost : null
}
