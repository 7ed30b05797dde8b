// The state that a request carries through inference, and the services it uses.

import type { RequestAgent } from '../../shared/api/requests.ts'
import type { NanoUsd } from '../../shared/money/money.ts'
import type { ClientCodec, DecodedRequest, NativeRequest } from '../formats/chat/codec-types.ts'
import type { PassThrough } from '../formats/chat/pass-through.ts'
import type { ReasoningSignatureCache } from '../formats/chat/reasoning.ts'
import type { JsonObject } from '../formats/json/json.ts'
import type { AnswerSealer } from '../idempotency/idempotency.ts'
import type { ResponseCache } from '../idempotency/response-cache.ts'
import type { KeyState } from '../keys/key-state.ts'
import type { Catalog } from '../models/catalog/catalog.ts'
import type { ProviderModels } from '../models/catalog/model-discovery.ts'
import type { ProviderRegistry } from '../models/providers/registry.ts'
import type { TokenCounter } from '../models/tokens/token-counter.ts'
import type { PromptLog } from '../observe/prompts/prompt-log.ts'
import type { Clock } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import type { LiveSession, LiveSessions } from '../sessions/live-sessions.ts'
import type { Settings } from '../settings/settings.ts'
import type { AccountService } from '../spend/account.ts'
import type { Approvals } from '../spend/approvals.ts'
import type { Budget } from '../spend/budget.ts'
import type { RunawayGuard } from '../spend/guard/runaway-guard.ts'
import type { RunPlace } from '../spend/limit.ts'
import type { PlanWindows } from '../spend/plan-windows.ts'
import type { RateAdmission, RateLimits } from '../spend/rates/rate-limits.ts'
import type { SpendLimits } from '../spend/spend-limits.ts'
import type { SubAgents } from '../spend/sub-agents.ts'
import type { PlanSignIn } from '../upstream/authorization/plan-sign-in.ts'
import type { CircuitBreakers } from '../upstream/circuit-breaker.ts'
import type { AdapterFor } from '../upstream/http-adapter.ts'
import type { ProviderSockets } from '../upstream/provider-sockets.ts'
import type { RequestTrace } from '../upstream/request-trace.ts'
import type { Forecast } from './forecast.ts'
import type { ClientStream, InFlightRequest, InFlightRequests } from './in-flight.ts'
import type { Entry, Ledger } from './ledger.ts'
import type { Candidate } from './quote.ts'
import type { TokenMeter } from './token-meter.ts'

/** How a request reaches providers. */
export type RequestMode =
  /** Each provider is sent the chat request in its own format. */
  | { kind: 'translated' }
  /** Providers of the client's own format are sent the client's request, others the chat request. */
  | { kind: 'native'; native: NativeRequest }
  /** The vendor of the client is sent the client's own bytes with the client's own sign-in. */
  | { kind: 'plan'; native: NativeRequest; query: string; signIn: PlanSignIn; bytes: Buffer }
  /** Only providers of the endpoint are sent it, unchanged; the chat request says what the model reads. */
  | { kind: 'raw'; passThrough: PassThrough }

export type PlanMode = Extract<RequestMode, { kind: 'plan' }>

/** Why a request is not looked up in the response cache. */
export type CacheSkip =
  | 'off'
  | 'bypass'
  | 'size'
  | 'form'
  | 'tools'
  | 'state'
  | 'external'
  | 'n'
  | 'number'
  | 'temperature'

/** How a request uses the response cache of its key. */
export type CacheUse =
  | { kind: 'skip'; reason: CacheSkip }
  /** `request`: what must be the same. `lookUp`: false to run it and replace the stored answer. */
  | { kind: 'use'; request: string; secret: string; lookUp: boolean }

/** A request of a client in one of the API formats. */
export interface InferenceCall extends DecodedRequest {
  requestId: string
  /** The method and path: `POST /v1/messages`. */
  endpoint: string
  codec: ClientCodec
  /** The client's request, validated. */
  json: JsonObject
  mode: RequestMode
  /** The plan that would have paid for it, and was used up when its session began; null for all other requests. */
  overflowFrom: string | null
  /** The request's bytes as they came, for a log of bodies. */
  body: Buffer
  key: KeyState
  stream: ClientStream
  /** How the client identifies itself. */
  client: string | null
  session: LiveSession
  /** The place in the run of an agent, if the client states it. */
  agent: RequestAgent | null
  /** The project that the request is for; null for none. */
  tag: string | null
  /** Set when the request carries an Idempotency-Key: seals the answer for replays. */
  sealer: AnswerSealer | null
  /** How it uses the response cache of its key; null for a key without one. */
  cache: CacheUse | null
  /** Null unless traces are exported, or the client has sent a trace. */
  trace: RequestTrace | null
  /** Null unless it is a turn of a client's WebSocket. */
  sockets: ProviderSockets | null
}

/** A request whose row is open and that holds its reservation, until it is settled. */
export interface AdmittedRequest {
  call: InferenceCall
  inFlight: InFlightRequest
  entry: Entry
  meter: TokenMeter
  rate: RateAdmission
  /** In the order in which they are called. */
  candidates: readonly [Candidate, ...Candidate[]]
  /** The one that is called now, or was called last; the first one before. */
  calling: Candidate
  /** The one that has begun to answer; null as long as none has. */
  serving: Candidate | null
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
  approvals: Approvals
  spendLimits: SpendLimits
  limits: RateLimits
  plans: PlanWindows
  subAgents: SubAgents
  sessions: LiveSessions
  ledger: Ledger
  prompts: PromptLog
  inFlight: InFlightRequests
  settings: Settings
  adapterFor: AdapterFor
  breakers: CircuitBreakers
  forecast: Forecast
  guard: RunawayGuard
  tokens: TokenCounter
  signatures: ReasoningSignatureCache
  responseCache: ResponseCache
  log: Log
  /** Tells the owner of a report that was not believed. */
  doubtReport(report: DoubtedReport): void
}

/** A report of usage that cannot be true. */
export interface DoubtedReport {
  requestId: string
  providerId: string
  chargedNano: NanoUsd
  reportedNano: NanoUsd
}

/** Whose run the request is part of. */
export function getRunPlace({ session, agent }: Pick<InferenceCall, 'session' | 'agent'>): RunPlace {
  return { sessionId: session.id, agentId: agent?.id ?? null }
}
