import type { Attempt } from '../../shared/api/requests.ts'
import type { ChatRequest } from '../../shared/formats/chat.ts'
import type { Target } from '../formats/chat/codec-types.ts'
import type { Answer, ChatEvent, EventBatches, PlainAnswer } from '../formats/chat/events.ts'
import { isSettled, NOT_SUPPORTED, UpstreamFailure } from '../formats/chat/failure.ts'
import type { Clock } from '../platform/clock.ts'
import type { CircuitBreakers } from '../upstream/circuit-breaker.ts'
import { CREDENTIALS_UNAVAILABLE } from '../upstream/client-error.ts'
import type { AdapterFor } from '../upstream/http-adapter.ts'
import type { ProviderSockets } from '../upstream/provider-sockets.ts'
import type { AttemptTrace, RequestTrace } from '../upstream/request-trace.ts'
import { fanOut } from './fan-out-n.ts'
import type { Candidate } from './quote.ts'

/** A failed attempt. Its provider may still have worked, and may bill it. */
export interface FailedAttempt {
  candidate: Candidate
  failure: UpstreamFailure
  /** Choices that this candidate had answered when its last attempt failed; each was billed. */
  answered: readonly PlainAnswer[]
}

/** The common context of the attempts of one request. */
export interface AttemptContext {
  request: ChatRequest
  /** Aborting it ends the upstream call immediately. */
  signal: AbortSignal
  /** One of the provider's credentials by its index, or null when none is stored. May fail (a locked keychain). */
  credentialFor(providerId: string, credentialIndex: number): string | null | Promise<string | null>
  adapterFor: AdapterFor
  breakers: CircuitBreakers
  clock: Clock
  /** Called with the candidate right before it is called, which may abort the signal, and with null when that has failed. */
  setCalling?(candidate: Candidate | null): void
  /** Null for a request without a trace. */
  trace?: RequestTrace | null
  /** Null unless the request is a turn of a client's WebSocket. */
  sockets?: ProviderSockets | null | undefined
}

/** Results of earlier attempts; each attempt adds to them. */
export interface AttemptLog {
  /** When the first attempt began, by the monotonic clock. */
  startedAt: number
  attempts: Attempt[]
  /** Choices that earlier attempts at the same candidate have answered. */
  answered: PlainAnswer[]
}

/**
 * Calls the candidate once and records the attempt, as the last entry of `log.attempts`. Its `ms` and `error` are final once
 * a stream has ended. A failure is returned.
 */
export async function attemptCandidate(
  candidate: Candidate,
  credentialIndex: number,
  context: AttemptContext,
  log: AttemptLog,
): Promise<Answer | UpstreamFailure> {
  const { breakers, clock } = context
  const { providerId, upstreamModel } = candidate.target
  const startedAt = clock.monotonic()
  const startMs = Math.round(startedAt - log.startedAt)
  const attempt: Attempt = {
    ...{ provider: providerId, model: upstreamModel, status: null },
    ...{ startMs, ms: 0, error: null },
  }
  log.attempts.push(attempt)
  const trace = context.trace ? context.trace.startAttempt(candidate.target) : null
  try {
    const answer = await send(candidate, { credentialIndex, trace }, context, log)
    attempt.status = 200
    attempt.ms = Math.round(clock.monotonic() - startedAt)
    trace?.answered(answer)
    if (answer.kind === 'plain') {
      breakers.recordSuccess(providerId)
      trace?.ended(null)
      return answer
    }
    const events = watchEnd(answer.events, trace, ({ failure, isComplete }) => {
      attempt.ms = Math.round(clock.monotonic() - startedAt)
      attempt.error = failure?.message ?? null
      trace?.ended(failure)
      if (failure) recordFailure(breakers, providerId, failure)
      else if (isComplete) breakers.recordSuccess(providerId)
      else breakers.recordNeutral(providerId)
    })
    return { ...answer, events }
  } catch (error) {
    context.setCalling?.(null)
    if (!(error instanceof UpstreamFailure)) {
      breakers.recordNeutral(providerId)
      trace?.ended(null)
      throw error
    }
    attempt.status = error.status
    attempt.ms = Math.round(clock.monotonic() - startedAt)
    attempt.error = error.message
    trace?.ended(error)
    recordFailure(breakers, providerId, error)
    return error
  }
}

/** One call for all choices of the request, or one for each where the target has no `n`. */
async function send(
  candidate: Candidate,
  { credentialIndex, trace }: { credentialIndex: number; trace: AttemptTrace | null },
  context: AttemptContext,
  { answered }: AttemptLog,
): Promise<Answer> {
  const { target, encoded, mode, calls, refusal } = candidate
  if (refusal) throw refusal
  const { request, signal, sockets } = context
  const adapter = context.adapterFor(target.apiFormat)
  const read = adapter.usesCredentials ? readCredential(target, credentialIndex, context) : null
  const credential = read instanceof Promise ? await read : read
  context.setCalling?.(candidate)
  if (signal.aborted) throw abortedFailure()
  context.breakers.recordCall(target.providerId)
  const call = { target, request, encoded, mode, credential, signal, trace: trace?.headers, sockets }
  if (calls === 1) return await adapter.send(call)
  return await fanOut({ calls, request, signal, answered }, (each) => adapter.send({ ...call, ...each }))
}

/** The request was aborted before the call. */
export function abortedFailure(): UpstreamFailure {
  return new UpstreamFailure({
    kind: 'aborted',
    sent: false,
    message: 'The request was aborted before an upstream answered.',
  })
}

/** Fails with an UpstreamFailure if it is missing or cannot be read. */
export function readCredential(
  target: Target,
  credentialIndex: number,
  { credentialFor }: Pick<AttemptContext, 'credentialFor'>,
): string | null | Promise<string | null> {
  const read = credentialFor(target.providerId, credentialIndex)
  if (!(read instanceof Promise)) return requireNeeded(read, target)
  return read.then(
    (credential) => requireNeeded(credential, target),
    (cause: unknown) => {
      if (cause instanceof UpstreamFailure) throw cause
      throw new UpstreamFailure({
        kind: 'credential',
        sent: false,
        code: CREDENTIALS_UNAVAILABLE,
        message: `The credential of ${target.providerId} cannot be read now: the credential store is locked or missing.`,
      })
    },
  )
}

function requireNeeded(credential: string | null, { providerId, needsCredential }: Target): string | null {
  if (credential !== null || !needsCredential) return credential
  throw new UpstreamFailure({
    kind: 'credential',
    sent: false,
    message: `No credential is set for the provider ${providerId}.`,
  })
}

/** Only failures that may pass count against the provider. */
function recordFailure(breakers: CircuitBreakers, providerId: string, failure: UpstreamFailure): void {
  if (isRetryable(failure)) breakers.recordFailure(providerId, failure.message)
  else if (failure.kind === 'status' && failure.status !== null) breakers.recordSuccess(providerId)
  else breakers.recordNeutral(providerId)
}

interface StreamEnd {
  failure: UpstreamFailure | null
  /** False for a stream that was abandoned early. */
  isComplete: boolean
}

/** Calls `onEnd` once, when the stream has ended or was abandoned early. */
function watchEnd(
  batches: EventBatches,
  trace: AttemptTrace | null,
  onEnd: (end: StreamEnd) => void,
): EventBatches {
  const inner = batches[Symbol.asyncIterator]()
  let open = true
  const end = (failure: UpstreamFailure | null, isComplete: boolean): void => {
    if (open) onEnd({ failure, isComplete })
    open = false
  }
  const iterator: AsyncIterator<readonly ChatEvent[]> = {
    async next() {
      const result = await inner.next()
      if (trace && !result.done) trace.received(result.value)
      const last = result.done ? undefined : result.value.at(-1)
      if (result.done) end(null, false)
      else if (last?.type === 'done') end(null, true)
      else if (last?.type === 'failed') end(last.failure, true)
      return result
    },
    async return() {
      end(null, false)
      await inner.return?.()
      return { done: true, value: undefined }
    },
  }
  return { [Symbol.asyncIterator]: () => iterator }
}

// The decision after a failed attempt: pure functions of the failure and of how often its candidate was attempted.

/** Attempts after the first one, at one candidate. */
const RETRIES = 2
const BASE_DELAY_MS = 500
const LONGEST_RETRY_AFTER_MS = 10_000

export type NextStep =
  /** Call the same candidate again after `delayMs`. */
  | { step: 'retry'; delayMs: number }
  /** Leave this candidate; the next one may succeed. */
  | { step: 'failover' }
  /** No candidate can succeed: the request is at fault, or it was aborted. */
  | { step: 'stop' }

const ABOUT_THE_REQUEST: ReadonlySet<number> = new Set([400, 413, 422])

/** Whether the provider rejects a field for the output limit. */
export function isAboutOutputLimit({ kind, status, message, param }: UpstreamFailure): boolean {
  if (kind !== 'status' || (status !== 400 && status !== 422)) return false
  return OUTPUT_LIMIT.test(message) || (param !== null && OUTPUT_LIMIT.test(param))
}

const OUTPUT_LIMIT = /\bmax_(completion_)?tokens\b/

/** Codes of a 429 that will not pass by waiting: OpenAI's empty account, Anthropic's enforced spend limit. */
const LASTING_LIMITS: ReadonlySet<string> = new Set(['insufficient_quota', 'enforced_spend_limit_reached'])

/** Whether the same call may succeed if made again soon. Only such failures count against a provider's health. */
function isRetryable(failure: UpstreamFailure): boolean {
  switch (failure.kind) {
    case 'network':
    case 'timeout':
    case 'malformed':
      return true
    case 'credential':
    case 'aborted':
      return false
    case 'status': {
      const { status, code } = failure
      if (status === null) return false
      if (status === 429) return code === null || !LASTING_LIMITS.has(code)
      return status === 408 || status === 409 || (status >= 500 && status <= 599)
    }
  }
}

/**
 * The failure to report to the client when no candidate has answered: the last one other than a target that lacks
 * the model or the format for the request. A passing failure must not look like a lasting one.
 */
export function selectClientFailure(failures: readonly UpstreamFailure[]): UpstreamFailure | null {
  const isUnsupported = ({ kind, status, code }: UpstreamFailure): boolean =>
    code === NOT_SUPPORTED || (kind === 'status' && status === 404)
  return failures.findLast((failure) => !isUnsupported(failure)) ?? failures.at(-1) ?? null
}

/**
 * What to do after a failure that came before the first byte reached the client. `attempts`: how often this candidate has
 * been called, this time included. `random`: [0, 1). The delay doubles from 0.5 s, with up to 0.5 s of jitter; a
 * `Retry-After` of up to 10 s is followed exactly, a longer one is not waited for.
 */
export function decideNextStep(failure: UpstreamFailure, attempts: number, random: () => number): NextStep {
  if (failure.kind === 'aborted') return { step: 'stop' }
  // Another call would be billed, too.
  if (isSettled(failure)) return { step: 'stop' }
  if (failure.code === NOT_SUPPORTED) return { step: 'failover' }
  if (failure.kind === 'status' && failure.status !== null && ABOUT_THE_REQUEST.has(failure.status)) {
    return { step: 'stop' }
  }
  if (!isRetryable(failure) || attempts > RETRIES) return { step: 'failover' }
  if (failure.retryAfterMs === null) {
    return { step: 'retry', delayMs: BASE_DELAY_MS * 2 ** (attempts - 1) + random() * BASE_DELAY_MS }
  }
  if (failure.retryAfterMs > LONGEST_RETRY_AFTER_MS) return { step: 'failover' }
  return { step: 'retry', delayMs: failure.retryAfterMs }
}
