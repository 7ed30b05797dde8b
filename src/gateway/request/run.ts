// A request to a model while it runs: from the moment it comes to the admission, and from there to its settlement.
import type { RunningRequest } from '../../shared/api/requests.ts'
import { hasSamplePrices } from '../../shared/api/terms.ts'
import { addUsd, type NanoUsd, nanoToUsd } from '../../shared/money/money.ts'
import type { DecodedRequest, NativeRequest } from '../formats/chat/codec-types.ts'
import type { ReasoningSignatureCache } from '../formats/chat/reasoning.ts'
import type { JsonObject } from '../formats/json/json.ts'
import { hasExpired, type KeyState } from '../keys/key-state.ts'
import type { Catalog } from '../models/catalog/catalog.ts'
import type { ProviderModels } from '../models/catalog/model-discovery.ts'
import type { Offer } from '../models/catalog/offers.ts'
import type { ProviderRegistry } from '../models/providers/registry.ts'
import type { TokenCounter } from '../models/tokens/token-counter.ts'
import { isRejection } from '../observe/request-log/rejections.ts'
import type { Clock } from '../platform/clock.ts'
import { type ErrorDetail, GatewayError } from '../platform/errors.ts'
import type { PlainHeaders } from '../platform/headers.ts'
import type { Log } from '../platform/log.ts'
import type { Settings } from '../settings/settings.ts'
import type { AccountService } from '../spend/account.ts'
import type { Budget } from '../spend/budget.ts'
import type { RunPlace } from '../spend/limit.ts'
import type { RateAdmission, RateLimits } from '../spend/rates/rate-limits.ts'
import type { SpendLimits, Subject } from '../spend/spend-limits.ts'
import type { Call, FeatureFields } from '../store/store.ts'
import type { CircuitBreakers } from '../upstream/circuit-breaker.ts'
import type { AdapterFor } from '../upstream/http-adapter.ts'
import type { InferenceCall } from './call.ts'
import { computeWorstCaseOfFailed, type FailedAttempt } from './failed-charge.ts'
import type { Forecast } from './forecast.ts'
import {
  findPause,
  type InFlightRequest,
  type InFlightRequests,
  keyExpired,
  keyRevoked,
  type RequestAborted,
} from './in-flight.ts'
import type { Entry, FinalOutcome, Ledger } from './ledger.ts'
import type { Candidates } from './prepare.ts'
import type { Candidate } from './quote.ts'
import type { TokenMeter } from './token-meter.ts'

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
  ledger: Ledger
  inFlight: InFlightRequests
  settings: Settings
  adapterFor: AdapterFor
  breakers: CircuitBreakers
  forecast: Forecast
  tokens: TokenCounter
  signatures: ReasoningSignatureCache
  /** Of the features that take part, in the order in which they are called. */
  hooks: readonly RequestHook[]
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

/**
 * The part of a feature in every request to a model. Its methods are called in this order; those that are absent cost nothing.
 * `before` and `answer` may refuse the request with a GatewayError.
 */
export interface RequestHook {
  /** Before the offers are chosen: it may replace `arrival.call`, and add headers to the answer. */
  before?(arrival: Arrival): Promise<void> | undefined
  /**
   * A line of a batch is read. Resolves with its change, which is only made where it then costs no more; null for none. It may refuse
   * the line with a GatewayError.
   */
  beforeLine?(line: LineOrRequest): Promise<LineChange | null> | null
  /** Before a provider is sent a prompt other than by a request. It may refuse that with a GatewayError. */
  beforePrompt?(prompt: SentPrompt): void
  /**
   * Something keeps the request from being admitted: a limit, although its answer is as short as it may be, or a feature. Resolves
   * when it may be tried again; throws `obstacle` if it may not.
   */
  removeObstacle?(arrival: Arrival, obstacle: unknown, subject: Subject, neededNano: NanoUsd): Promise<void>
  /** Answers in place of a provider. False if it cannot. */
  answer?(arrival: Arrival): Promise<boolean> | false
  /** The last provider that was called has answered or refused, and nothing of that was passed on yet. */
  answered?(run: Run, answer: ProviderAnswer): void
  /** What the settlement stores in the same transaction. */
  keep?(run: Run, outcome: FinalOutcome): readonly Call[] | undefined
  /** The charge is durable, and the last bytes were sent. */
  after?(run: Run, outcome: FinalOutcome): void
  /** A limit, a pause or a feature has refused the request. */
  refused?(arrival: Arrival, error: GatewayError): void
}

/** A request that comes, or a line of a batch, as features see it. */
export interface LineOrRequest extends Pick<Arrival, 'createdAt' | 'place'> {
  call: Pick<
    InferenceCall,
    | ('agent' | 'body' | 'client' | 'codec' | 'instead' | 'json' | 'key' | 'mode' | 'overflowFrom' | 'tag')
    | keyof DecodedRequest
  >
  deps: Pick<InferenceDeps, 'account' | 'breakers' | 'catalog' | 'providers' | 'spendLimits'>
}

export interface LineChange {
  /** The request as it is to be sent; null where it stays. */
  native: NativeRequest | null
  /** The model that is to serve; null where it stays. */
  offer: Offer | null
  /** The fields of the line's record; `unable`: why it was not changed after all, null if it was. */
  describe(unable: string | null): FeatureFields
}

/** A prompt whose tokens a provider counts, or that is a line of a batch. */
export interface SentPrompt {
  key: KeyState
  purpose: 'count' | 'batch'
  /** The client's request, validated. */
  json: JsonObject
  /** Its bytes, which are sent. */
  body: Buffer
}

export interface ProviderAnswer {
  headers: PlainHeaders
  /** Whether the provider has answered with 429. */
  isRefused: boolean
}

/** A question that the owner answers with yes or no, for all requests that share it. */
export interface OwnerQuestion {
  readonly rule: { readonly id: string; readonly name: string; readonly sentence: string }
  /** Aborts when no answer is needed any more: what waits for it is tried again. */
  readonly withdrawn: AbortSignal
  /** Puts the answer into effect. */
  answer(isAllowed: boolean): void
}

/** Keeps a request from being admitted until its owner allows it; the refusal if that does not happen. */
export class PermissionNeeded extends GatewayError {
  readonly question: OwnerQuestion
  constructor(refusal: ErrorDetail, question: OwnerQuestion) {
    super(refusal)
    this.question = question
  }
}

/** A request to a model from the moment it comes. It is in flight until `end` is called. */
export class Arrival {
  readonly deps: InferenceDeps
  /** A feature may replace it before the request is admitted. */
  call: InferenceCall
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Monotonic milliseconds. */
  readonly startedAt: number
  readonly inFlight: InFlightRequest
  /** Headers that features add to the answer. */
  readonly headers: Record<string, string> = {}
  /** Fields that features record of the request. They may be set until it is admitted. */
  fields: FeatureFields | null = null
  /** Set by a feature: rejects while the request may not be admitted, with PermissionNeeded if its owner can allow it. */
  requirePermission: (() => Promise<void>) | null = null
  #onEnd: (() => void)[] = []

  constructor(call: InferenceCall, deps: InferenceDeps) {
    this.deps = deps
    this.call = call
    this.createdAt = deps.clock.now()
    this.startedAt = deps.clock.monotonic()
    call.session.beginRequest(this.createdAt)
    this.inFlight = deps.inFlight.start(call.key, call.stream, () => this.#findPause())
  }

  /** Whose run the request is part of. */
  get place(): RunPlace {
    const { session, agent } = this.call
    return { sessionId: session.id, agentId: agent?.id ?? null }
  }

  get elapsedMs(): number {
    return this.deps.clock.monotonic() - this.startedAt
  }

  /** Throws while nothing may be sent to a provider. */
  requireUnpaused(): void {
    const paused = this.#findPause()
    if (paused) throw paused
  }

  #findPause(): RequestAborted | null {
    return findPause(this.call.key, this.deps.account)
  }

  /** Calls the listener when the request is over, however it ends. */
  onEnd(listener: () => void): void {
    this.#onEnd.push(listener)
  }

  end(): void {
    this.inFlight.finish()
    for (const listener of this.#onEnd) listener()
    this.call.session.endRequest(this.deps.clock.now())
  }

  /**
   * Throws what ends the request now. Its key may have been revoked or have expired since it was authenticated, and the client may
   * have left: it may have waited for its idempotency key.
   */
  requireAllowed(): void {
    const { key } = this.call
    if (key.revokedAt !== null) throw keyRevoked()
    if (hasExpired(key, this.deps.clock.now())) throw keyExpired()
    this.inFlight.signal.throwIfAborted()
  }

  /** Returns the error for the client. What limits, caps and pauses refuse is recorded for the user to see. */
  refuse(error: unknown): unknown {
    if (error instanceof GatewayError && !isRejection(error)) {
      for (const hook of this.deps.hooks) hook.refused?.(this, error)
      this.deps.ledger.recordRefused({
        ...this.describe(),
        httpStatus: error.status,
        error: error.body,
        totalMs: this.elapsedMs,
      })
    }
    return error
  }

  /** The members of its row that do not depend on the outcome. `createdAt`: epoch milliseconds. */
  describe(createdAt = this.createdAt) {
    const { requestId, key, request, mode, client, endpoint, session, agent, tag, overflowFrom } = this.call
    return {
      id: requestId,
      createdAt,
      keyId: key.id,
      requestedModel: request.model,
      client,
      endpoint,
      sessionId: session.id,
      session: session.stored,
      ...(agent && {
        agentId: agent.id,
        agentParent: agent.parentId,
        agentType: agent.type,
        agentRole: agent.role,
        toolMs: agent.toolMs,
      }),
      tag,
      overflowFrom,
      features: this.fields,
      stream: request.stream === true || (mode.kind === 'raw' && mode.passThrough.stream === true),
    }
  }
}

/** What the admission of a request has found and reserved. */
export interface Admission {
  entry: Entry
  meter: TokenMeter
  rate: RateAdmission
  /** In the order in which they are called. */
  candidates: Candidates
  /** Whether its whole bound had to fit under a limit. */
  isStrict: boolean
}

/** A request whose row is open and that holds its reservation, until it is settled. */
export class Run implements Admission {
  readonly arrival: Arrival
  readonly call: InferenceCall
  readonly deps: InferenceDeps
  readonly inFlight: InFlightRequest
  readonly entry: Entry
  readonly meter: TokenMeter
  readonly rate: RateAdmission
  readonly candidates: Candidates
  readonly isStrict: boolean
  /** The candidate that is called now, or was called last; the first one before. */
  calling: Candidate
  /** The credential of its provider that is used now, or was used last. */
  credentialIndex = 0
  /** The candidate that has begun to answer; null as long as none has. */
  serving: Candidate | null = null

  constructor(arrival: Arrival, { entry, meter, rate, candidates, isStrict }: Admission) {
    this.arrival = arrival
    this.call = arrival.call
    this.deps = arrival.deps
    this.inFlight = arrival.inFlight
    this.entry = entry
    this.meter = meter
    this.rate = rate
    this.candidates = candidates
    this.isStrict = isStrict
    this.calling = candidates[0]
  }

  /** Tells the client which model answers, and what is special about the cost or the length of the answer. */
  answerHeaders({ offer, shortenedTo }: Candidate): Record<string, string> {
    return {
      ...this.rate.headers,
      'x-service-model': offer.id,
      ...(offer.retirement && { 'x-tollgate-model-retires': offer.retirement.on }),
      ...this.arrival.headers,
      // A strict limit leaves less than the client has asked for.
      ...(shortenedTo !== null && { 'x-tollgate-output-limit': String(shortenedTo) }),
      // The cost is not billed.
      ...(hasSamplePrices(offer.providerId) && { 'x-tollgate-sample-cost': 'true' }),
    }
  }

  /**
   * Reserves for one more attempt at a request of which the provider may bill those that failed, also in its row, because a crash
   * leaves nothing else. False if there is not enough left for it, or it cannot be written.
   */
  async reserveAgain(failed: readonly FailedAttempt[]): Promise<boolean> {
    const { entry, deps } = this
    const mostOfFailed = computeWorstCaseOfFailed(failed)
    if (mostOfFailed === 0) return true
    if (!deps.budget.reserveAgain(entry.reservation, mostOfFailed)) return false
    return await deps.ledger.raiseReserved(entry, addUsd(mostOfFailed, entry.request.reservedNano))
  }

  /** The progress, and the charge if it ended now. Only the ledger has the final cost. */
  describeProgress(): RunningRequest {
    const { key, request } = this.call
    const candidate = this.serving ?? this.calling
    const { tokensIn, tokensOut, costNano } = this.meter.computeCharge(candidate, true)
    return {
      id: this.entry.request.id,
      createdAt: new Date(this.entry.request.createdAt).toISOString(),
      elapsedMs: Math.round(this.arrival.elapsedMs),
      keyId: key.id,
      keyName: key.name,
      requestedModel: request.model,
      model: candidate.offer.id,
      provider: candidate.offer.providerId,
      tokensIn,
      tokensOut,
      costUsd: costNano === null ? null : nanoToUsd(costNano),
      reservedUsd: nanoToUsd(this.entry.reservation.amount),
    }
  }
}
