// Owns the shapes of what is stored, as plain camelCase values. Knows nothing of SQL, threads or HTTP.
// Times are milliseconds since the Unix epoch; money is whole nano-dollars.
import type { ErrorBody } from '../../shared/errors.ts'
import type { Scope } from '../../shared/keys.ts'
import type { ModelOverride } from '../../shared/models.ts'
import type { NanoUsd } from '../../shared/money.ts'
import type { ApiFormat } from '../../shared/providers.ts'
import type { AppliedPrice, Attempt, CostStatus, RequestStatus, UsageBuckets } from '../../shared/requests.ts'

export type KeyPurpose = 'user' | 'playground'

export interface StoredKey {
  id: string
  name: string
  scope: Scope
  purpose: KeyPurpose
  /** SHA-256 of the secret, 32 bytes; null for a key that no bearer can present. */
  secretHash: Uint8Array | null
  createdAt: number
  lastUsedAt: number | null
  revokedAt: number | null
  spendLimitUsd: number | null
  rpmLimit: number | null
  tpmLimit: number | null
  /** Everything ever settled on the key. */
  spendNano: NanoUsd
}

export interface Timings {
  queueMs: number | null
  firstByteMs: number | null
  totalMs: number | null
}

export interface StoredRequest {
  /** Order of arrival in the ledger; never reused. */
  seq: number
  id: string
  createdAt: number
  keyId: string
  requestedModel: string
  model: string | null
  provider: string | null
  stream: boolean
  status: RequestStatus
  httpStatus: number | null
  error: ErrorBody | null
  tokensIn: number
  tokensOut: number
  usage: UsageBuckets | null
  /** Null while running, and for good when the price is unknown. */
  costNano: NanoUsd | null
  costStatus: CostStatus
  costLowNano: NanoUsd | null
  costHighNano: NanoUsd | null
  /** The worst case that was held while it ran; 0 when nothing was. */
  reservedNano: NanoUsd
  /** What a run with an unknown outcome is charged; null when the price is unknown. */
  estimateNano: NanoUsd | null
  price: AppliedPrice | null
  attempts: Attempt[]
  timings: Timings
  /** What the caller says it is (`User-Agent`). */
  client: string | null
  /** How many calls it stands for: refused ones of one reason are gathered. */
  count: number
  /** When the last of several calls came; null where there was one. */
  lastAt: number | null
  /** Whether there are StoredBodies for it. */
  bodiesKept: boolean
  settledAt: number | null
}

export interface StoredBodies {
  requestId: string
  /** JSON text as received; null when only the response was kept. */
  request: string | null
  /** JSON text, or the text of the stream; null when there was none. */
  response: string | null
}

export interface StoredProvider {
  id: string
  name: string
  apiFormat: ApiFormat | 'sandbox'
  baseUrl: string | null
  /** Null is automatic. */
  enabled: boolean | null
  priority: number
  connectTimeoutMs: number | null
  firstByteTimeoutMs: number | null
  stallTimeoutMs: number | null
  totalTimeoutMs: number | null
  headers: Record<string, string>
  /** Names of further headers, whose values were put in the keychain. */
  secretHeaders: string[]
  /** How many credentials were put in the keychain: getting none from there means locked or lost. */
  credentialCount: number
  modelsFetchedAt: number | null
  createdAt: number
}

export interface StoredProviderModel {
  providerId: string
  modelId: string
  /** What the provider's own list said, as the catalogue chose to keep it; the catalogue parses it. */
  info: unknown
}

export interface StoredModelOverride {
  id: string
  override: ModelOverride
  updatedAt: number
}

export type IdempotencyState = 'running' | 'done' | 'unknown'

export interface StoredIdempotency {
  /** Hash of key id, method, path and the caller's idempotency key, computed by the caller. */
  id: string
  keyId: string
  bodyHash: Uint8Array
  state: IdempotencyState
  requestId: string | null
  createdAt: number
  /** HTTP status of the kept answer; null until it is done. */
  status: number | null
  /** Sealed headers and body; opaque here. */
  sealed: Uint8Array | null
}
