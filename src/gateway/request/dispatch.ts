import type { Attempt } from '../../shared/api/requests.ts'
import { OUTPUT_LIMIT_SECOND, type Target } from '../formats/chat/codec-types.ts'
import type { Answer, ChatEvent, EventBatches, PlainAnswer } from '../formats/chat/events.ts'
import { UpstreamFailure } from '../formats/chat/failure.ts'
import { learnOutputLimit } from '../models/catalog/targets.ts'
import type { ProviderRegistry } from '../models/providers/registry.ts'
import { getTimers } from '../platform/clock.ts'
import type { UpstreamAdapter } from '../upstream/adapter.ts'
import type { PlanSignIn } from '../upstream/authorization/plan-sign-in.ts'
import { type CircuitBreakers, CredentialRotation, coolDownAfter } from '../upstream/circuit-breaker.ts'
import { CREDENTIALS_UNAVAILABLE } from '../upstream/client-error.ts'
import { fanOut } from '../upstream/fan-out.ts'
import type { AttemptTrace } from '../upstream/request-trace.ts'
import type { InferenceCall } from './call.ts'
import type { FailedAttempt } from './failed-charge.ts'
import type { InFlightRequest } from './in-flight.ts'
import type { Candidate } from './quote.ts'
import {
  decideNextStep,
  isAboutOutputLimit,
  isRetryable,
  type NextStep,
  selectClientFailure,
} from './retry.ts'
import type { InferenceDeps, Run } from './run.ts'

/** The part of a run that calls providers. */
export interface CallingRun extends Pick<Run, 'reserveAgain'> {
  candidates: readonly Candidate[]
  calling: Candidate | null
  credentialIndex: number
  call: Pick<InferenceCall, 'request' | 'mode' | 'instead' | 'trace' | 'sockets'>
  inFlight: Pick<InFlightRequest, 'signal' | 'setCalling'>
  deps: Pick<InferenceDeps, 'breakers' | 'clock' | 'random' | 'adapterFor'> & {
    providers: Pick<ProviderRegistry, 'credential' | 'coolDownCredential'>
  }
}

interface Attempts {
  /** Every attempt, in order. */
  attempts: Attempt[]
  /** The failed attempts, in order. The failure that is reported and the one that is charged may differ. */
  failed: FailedAttempt[]
}

export interface AnsweredDispatch extends Attempts {
  kind: 'answered'
  answer: Answer
  candidate: Candidate
  /** Milliseconds from the call of `dispatch` to the first event or the plain answer. */
  firstByteMs: number
}

export interface FailedDispatch extends Attempts {
  kind: 'failed'
  /** The one to report to the client. */
  failure: UpstreamFailure
}

const STOP: NextStep = { step: 'stop' }

/**
 * Answers the request by the first candidate that can: each is retried, with all credentials of its provider, before the
 * next one is called. A returned stream is not retried anymore: its failure is its last event.
 */
export async function dispatch(run: CallingRun): Promise<AnsweredDispatch | FailedDispatch> {
  const { deps, inFlight, candidates } = run
  const { breakers, clock, random, providers } = deps
  const { signal } = inFlight
  const startedAt = clock.monotonic()
  const attempts: Attempt[] = []
  const failed: FailedAttempt[] = []
  const end = (failure: UpstreamFailure): FailedDispatch => ({ kind: 'failed', failure, attempts, failed })
  for (const candidate of moveOpenCircuitsLast(candidates, breakers)) {
    if (failed.length > 0 && !(await run.reserveAgain(failed))) break
    const rotation = new CredentialRotation(candidate.target.credentialOrder)
    const answered: PlainAnswer[] = []
    const { providerId } = candidate.target
    let isRenamed = false
    for (let round = 1; ; ) {
      if (signal.aborted) {
        attributeAnswered(failed, answered)
        return end(abortedFailure())
      }
      const credentialIndex = rotation.current
      const call = new Call(run, candidate, startedAt)
      attempts.push(call.entry)
      let failure: UpstreamFailure
      try {
        const answer = call.recordAnswer(await call.send(credentialIndex, answered))
        if (isRenamed) learnOutputLimit(candidate.offer, OUTPUT_LIMIT_SECOND)
        const firstByteMs = clock.monotonic() - startedAt
        return { kind: 'answered', answer, candidate, firstByteMs, attempts, failed }
      } catch (error) {
        failure = call.recordFailure(error)
      }
      failed.push({ candidate, failure, answered: [] })
      const renamed = !isRenamed && isAboutOutputLimit(failure) ? candidate.renameOutputLimit?.() : null
      if (renamed) {
        candidate.encoded = renamed
        isRenamed = true
        continue
      }
      const coolDownMs = coolDownAfter(failure)
      if (coolDownMs !== null) providers.coolDownCredential(providerId, credentialIndex, coolDownMs)
      if (rotation.advance(failure)) continue
      // The client's own program decides whether it uses its sign-in again.
      const isInstead = run.call.instead?.offers.includes(candidate.offer) ?? false
      const next = candidate.encoded?.verbatim ? STOP : decideNextStep(failure, round, random, isInstead)
      if (next.step === 'retry' && (await run.reserveAgain(failed))) {
        await sleep(next.delayMs, run)
        round += 1
        continue
      }
      attributeAnswered(failed, answered)
      if (next.step === 'failover') break
      return end(failure)
    }
  }
  return end(selectClientFailure(failed.map((attempt) => attempt.failure)) ?? noProvider())
}

/** The choices that a candidate has answered count with its last attempt. */
function attributeAnswered(failed: readonly FailedAttempt[], answered: readonly PlainAnswer[]): void {
  const last = failed.at(-1)
  if (last && answered.length > 0) last.answered = answered
}

/** A provider with an open circuit is called last instead of never. */
function moveOpenCircuitsLast(
  candidates: readonly Candidate[],
  breakers: CircuitBreakers,
): readonly Candidate[] {
  if (candidates.length === 1) return candidates
  const allowed = candidates.filter(({ target }) => breakers.allows(target.providerId))
  const open = candidates.filter((candidate) => !allowed.includes(candidate))
  return [...allowed, ...open]
}

/** A call of a candidate, and its entry in the record of the request. */
class Call {
  readonly #run: CallingRun
  readonly #candidate: Candidate
  readonly #trace: AttemptTrace | null
  readonly #calledAt: number
  /** Its `ms` and `error` are final once a stream has ended. */
  readonly entry: Attempt

  /** `startedAt`: when the first call began, by the monotonic clock. */
  constructor(run: CallingRun, candidate: Candidate, startedAt: number) {
    const { target } = candidate
    this.#run = run
    this.#candidate = candidate
    this.#trace = run.call.trace ? run.call.trace.startAttempt(target) : null
    this.#calledAt = run.deps.clock.monotonic()
    this.entry = {
      provider: target.providerId,
      model: target.upstreamModel,
      status: null,
      startMs: Math.round(this.#calledAt - startedAt),
      ms: 0,
      error: null,
    }
  }

  /**
   * Sends one request for all choices, or one for each where the target has no `n`. `answered`: choices that earlier calls of the
   * candidate have answered; those of this one are added. Throws or rejects with UpstreamFailure.
   */
  send(credentialIndex: number, answered: PlainAnswer[]): Promise<Answer> {
    const { call, deps } = this.#run
    const { target, refusal } = this.#candidate
    if (refusal) throw refusal
    this.#run.credentialIndex = credentialIndex
    const adapter = deps.adapterFor(target.apiFormat)
    if (!adapter.usesCredentials) return this.#sendWith(adapter, null, answered)
    const signIn = call.mode.kind === 'plan' ? call.mode.signIn : null
    const credential = readCredential(target, credentialIndex, { providers: deps.providers, signIn })
    return credential instanceof Promise
      ? credential.then((secret) => this.#sendWith(adapter, secret, answered))
      : this.#sendWith(adapter, credential, answered)
  }

  #sendWith(adapter: UpstreamAdapter, credential: string | null, answered: PlainAnswer[]): Promise<Answer> {
    const { call, deps, inFlight } = this.#run
    const { target, encoded, mode, calls } = this.#candidate
    const { request, sockets } = call
    const { signal } = inFlight
    this.#run.calling = this.#candidate
    inFlight.setCalling(true)
    if (signal.aborted) throw abortedFailure()
    deps.breakers.recordCall(target.providerId)
    const sent = { target, request, encoded, mode, credential, signal, trace: this.#trace?.headers, sockets }
    if (calls === 1) return adapter.send(sent)
    return fanOut({ calls, request, signal, answered }, (choice) => adapter.send({ ...sent, ...choice }))
  }

  /** The answer, whose stream is recorded to its end. */
  recordAnswer(answer: Answer): Answer {
    const { breakers } = this.#run.deps
    const { providerId } = this.#candidate.target
    const { entry } = this
    const trace = this.#trace
    entry.status = 200
    entry.ms = this.#measureMs()
    trace?.answered(answer)
    if (answer.kind === 'plain') {
      breakers.recordSuccess(providerId)
      trace?.ended(null)
      return answer
    }
    const events = watchEnd(answer.events, trace, ({ failure, isComplete }) => {
      entry.ms = this.#measureMs()
      entry.error = failure?.message ?? null
      trace?.ended(failure)
      if (failure) recordFailure(breakers, providerId, failure)
      else if (isComplete) breakers.recordSuccess(providerId)
      else breakers.recordNeutral(providerId)
    })
    return { ...answer, events }
  }

  /** Returns the failure of the provider; throws all other errors. */
  recordFailure(error: unknown): UpstreamFailure {
    const { inFlight, deps } = this.#run
    const { providerId } = this.#candidate.target
    inFlight.setCalling(false)
    if (!(error instanceof UpstreamFailure)) {
      deps.breakers.recordNeutral(providerId)
      this.#trace?.ended(null)
      throw error
    }
    this.entry.status = error.status
    this.entry.ms = this.#measureMs()
    this.entry.error = error.message
    this.#trace?.ended(error)
    recordFailure(deps.breakers, providerId, error)
    return error
  }

  #measureMs(): number {
    return Math.round(this.#run.deps.clock.monotonic() - this.#calledAt)
  }
}

/** The request was aborted before the call. */
function abortedFailure(): UpstreamFailure {
  return new UpstreamFailure({
    kind: 'aborted',
    sent: false,
    message: 'The request was aborted before an upstream answered.',
  })
}

interface CredentialSource {
  providers: Pick<ProviderRegistry, 'credential'>
  /** The sign-in that a plan's request brings; null for all others. */
  signIn: PlanSignIn | null
}

/** Fails with an UpstreamFailure if it is missing or cannot be read. */
export function readCredential(
  target: Target,
  credentialIndex: number,
  { providers, signIn }: CredentialSource,
): string | null | Promise<string | null> {
  const read = signIn ? signIn.token : providers.credential(target.providerId, credentialIndex)
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

/** Returns early when the signal aborts. */
async function sleep(ms: number, { deps, inFlight: { signal } }: CallingRun): Promise<void> {
  await getTimers(deps.clock)
    .delay(ms, { signal })
    .catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
}

function noProvider(): UpstreamFailure {
  return new UpstreamFailure({
    kind: 'network',
    sent: false,
    message: 'No provider can serve this model now.',
  })
}
