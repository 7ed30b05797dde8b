// The state that a request carries through inference, and the services it uses.

import type { ClientCodec, DecodedRequest, NativeRequest } from '../formats/chat/codec-types.ts'
import type { PassThrough } from '../formats/chat/pass-through.ts'
import type { ReasoningSignatureCache } from '../formats/chat/reasoning.ts'
import type { JsonObject } from '../formats/json/json.ts'
import type { AnswerSealer } from '../idempotency/idempotency.ts'
import type { KeyState } from '../keys/key-state.ts'
import type { Catalog } from '../models/catalog/catalog.ts'
import type { ProviderModels } from '../models/catalog/model-discovery.ts'
import type { ProviderRegistry } from '../models/providers/registry.ts'
import type { TokenCounter } from '../models/tokens/token-counter.ts'
import type { Clock } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import type { LiveSession, LiveSessions } from '../sessions/live-sessions.ts'
import type { Settings } from '../settings/settings.ts'
import type { AccountService } from '../spend/account.ts'
import type { Budget } from '../spend/budget.ts'
import type { RunawayGuard } from '../spend/guard/runaway-guard.ts'
import type { RateAdmission, RateLimits } from '../spend/rates/rate-limits.ts'
import type { SpendLimits } from '../spend/spend-limits.ts'
import type { CircuitBreakers } from '../upstream/circuit-breaker.ts'
import type { AdapterFor } from '../upstream/http-adapter.ts'
import type { RequestTrace } from '../upstream/request-trace.ts'
import type { Forecast } from './forecast.ts'
import type { ClientStream, InFlightRequest, InFlightRequests } from './in-flight.ts'
import type { Entry, Ledger } from './ledger.ts'
import type { Meter } from './token-meter.ts'
import type { Candidate } from './worst-case.ts'

/** How a request reaches providers. */
export type RequestMode =
  /** Each provider is sent the chat request in its own format. */
  | { kind: 'translated' }
  /** Providers of the client's own format are sent the client's request, others the chat request. */
  | { kind: 'native'; native: NativeRequest }
  /** Only providers of the endpoint are sent it, unchanged; the chat request says what the model reads. */
  | { kind: 'raw'; passThrough: PassThrough }

/** A request of a client in one of the API formats. */
export interface InferenceCall extends DecodedRequest {
  requestId: string
  /** The method and path: `POST /v1/messages`. */
  endpoint: string
  codec: ClientCodec
  /** The client's request, validated. */
  json: JsonObject
  mode: RequestMode
  /** The request's bytes as they came, for a log of bodies. */
  body: Buffer
  key: KeyState
  stream: ClientStream
  /** How the client identifies itself. */
  client: string | null
  session: LiveSession
  /** The project that the request is for; null for none. */
  tag: string | null
  /** Set when the request carries an Idempotency-Key: seals the answer for replays. */
  sealer: AnswerSealer | null
  /** Null unless traces are exported, or the client has sent a trace. */
  trace: RequestTrace | null
}

/** A request whose row is open and that holds its reservation, until it is settled. */
export interface AdmittedRequest {
  call: InferenceCall
  inFlight: InFlightRequest
  entry: Entry
  meter: Meter
  rate: RateAdmission
  /** In the order in which they are called. */
  candidates: readonly Candidate[]
  /** The one that is called now, or was called last; the first one before. */
  calling: Candidate
  /** The one that has begun to answer; null as long as none has. */
  serving: Candidate | null
  discountPercent: number
  /** Whether its whole bound had to fit under a limit. */
  isStrict: boolean
  /** Monotonic milliseconds at which the request came. */
  startedAt: number
}

export interface InferenceDeps {
  clock: Clock
  /** [0, 1), for jitter. */
  random(): number
  catalog: Catalog
  providers: ProviderRegistry
  providerModels: ProviderModels
  account: AccountService
  budget: Budget
  spendLimits: SpendLimits
  limits: RateLimits
  sessions: LiveSessions
  ledger: Ledger
  inFlight: InFlightRequests
  settings: Settings
  adapterFor: AdapterFor
  breakers: CircuitBreakers
  forecast: Forecast
  guard: RunawayGuard
  tokens: TokenCounter
  signatures: ReasoningSignatureCache
  log: Log
}
