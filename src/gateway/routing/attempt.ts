// Owns one recorded try of one target: its credential, its record, and what the breaker hears of it. Knows nothing of
// other tries; after a stream has begun it goes on watching until the stream ends.
import type { ChatRequest } from '../../shared/chat.ts'
import type { Attempt } from '../../shared/requests.ts'
import type { EncodedRequest } from '../formats/codec.ts'
import type { Answer, ChatEvent, PlainAnswer } from '../formats/events.ts'
import type { Target } from '../formats/target.ts'
import { UpstreamFailure } from '../formats/upstream-failure.ts'
import type { Clock } from '../platform/clock.ts'
import { answerFromSandbox } from '../sandbox/sandbox.ts'
import type { CircuitBreakers } from '../upstream/circuit-breaker.ts'
import { CREDENTIALS_UNAVAILABLE } from '../upstream/client-error.ts'
import type { UpstreamPool } from '../upstream/connection-pool.ts'
import { attempt } from '../upstream/http-call.ts'
import { answerChoices } from './fan-out-n.ts'
import { isRetryable } from './retry.ts'

/** What every try of a request is made with, whichever its target. */
export interface TryInput {
  request: ChatRequest
  /** The request as each target is sent it, where that is known already. */
  prepared?: ReadonlyMap<Target, EncodedRequest>
  /** Aborting it ends the upstream call at once. */
  signal: AbortSignal
  /** One of the provider's secrets by its place, or null when none is kept. May throw (a locked keychain). */
  credentialFor(providerId: string, place: number): Promise<string | null>
  clock: Clock
  pool: UpstreamPool
  breakers: CircuitBreakers
  /** Called when an attempt has failed or has begun to answer. */
  onAttempt?(attempt: Attempt): void
}

async function readCredential(input: TryInput, target: Target, place: number): Promise<string | null> {
  if (!target.needsCredential && target.apiFormat === 'sandbox') return null
  let credential: string | null
  try {
    credential = await input.credentialFor(target.providerId, place)
  } catch (cause) {
    if (cause instanceof UpstreamFailure) throw cause
    throw new UpstreamFailure({
      kind: 'credential',
      sent: false,
      code: CREDENTIALS_UNAVAILABLE,
      message: `The credential of ${target.providerId} cannot be read now: the credential store is locked or missing.`,
    })
  }
  if (credential === null && target.needsCredential) {
    throw new UpstreamFailure({
      kind: 'credential',
      sent: false,
      message: `No credential is set for the provider ${target.providerId}.`,
    })
  }
  return credential
}

function call(
  input: TryInput,
  target: Target,
  credential: string | null,
  answered: PlainAnswer[],
): Promise<Answer> {
  const make = (request: ChatRequest, signal: AbortSignal): Promise<Answer> =>
    target.apiFormat === 'sandbox'
      ? answerFromSandbox(target, request, signal)
      : attempt(target, request, credential, signal, input.pool, input.prepared?.get(target))
  return answerChoices(target, input.request, input.signal, make, answered)
}

/** Calls `ended` once, with the failure or null, when the stream has ended or was left early. */
function watchEnd(
  events: AsyncIterable<ChatEvent>,
  ended: (failure: UpstreamFailure | null, complete: boolean) => void,
): AsyncIterable<ChatEvent> {
  const inner = events[Symbol.asyncIterator]()
  let open = true
  const end = (failure: UpstreamFailure | null, complete: boolean): void => {
    if (open) ended(failure, complete)
    open = false
  }
  const iterator: AsyncIterator<ChatEvent> = {
    async next() {
      const result = await inner.next()
      if (result.done) end(null, false)
      else if (result.value.type === 'done') end(null, true)
      else if (result.value.type === 'failed') end(result.value.failure, true)
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

function tellBreaker(breakers: CircuitBreakers, providerId: string, failure: UpstreamFailure): void {
  if (isRetryable(failure)) breakers.recordFailure(providerId, failure.message)
  else if (failure.kind === 'status' && failure.status !== null) breakers.recordSuccess(providerId)
  else breakers.recordNeutral(providerId)
}

/**
 * Tries the target once with the credential at `place`, as the last entry of `attempts`. A failure comes back as a value.
 * `answered`: choices that earlier tries of this target brought; those of this one are added.
 */
export async function tryOnce(
  input: TryInput,
  target: Target,
  place: number,
  attempts: Attempt[],
  answered: PlainAnswer[] = [],
): Promise<Answer | UpstreamFailure> {
  const { breakers, clock } = input
  const startedAt = clock.monotonic()
  const elapsed = (): number => Math.round(clock.monotonic() - startedAt)
  const { providerId } = target
  const record: Attempt = {
    provider: providerId,
    model: target.upstreamModel,
    status: null,
    ms: 0,
    error: null,
  }
  attempts.push(record)
  try {
    const credential = await readCredential(input, target, place)
    breakers.recordCall(providerId)
    const answer = await call(input, target, credential, answered)
    record.status = 200
    record.ms = elapsed()
    input.onAttempt?.(record)
    if (answer.kind === 'plain') {
      breakers.recordSuccess(providerId)
      return answer
    }
    const events = watchEnd(answer.events, (failure, complete) => {
      record.ms = elapsed()
      record.error = failure?.message ?? null
      if (failure) tellBreaker(breakers, providerId, failure)
      else if (complete) breakers.recordSuccess(providerId)
      else breakers.recordNeutral(providerId)
    })
    return { kind: 'stream', events }
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) {
      breakers.recordNeutral(providerId)
      throw error
    }
    record.status = error.status
    record.ms = elapsed()
    record.error = error.message
    tellBreaker(breakers, providerId, error)
    input.onAttempt?.(record)
    return error
  }
}
