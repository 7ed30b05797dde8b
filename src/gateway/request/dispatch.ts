import type { Attempt } from '../../shared/api/requests.ts'
import type { Answer } from '../formats/chat/events.ts'
import { UpstreamFailure } from '../formats/chat/failure.ts'
import { getTimers } from '../platform/clock.ts'
import { type CircuitBreakers, CredentialRotation, coolDownAfter } from '../upstream/circuit-breaker.ts'
import {
  type AttemptContext,
  type AttemptLog,
  abortedFailure,
  attemptCandidate,
  decideNextStep,
  type FailedAttempt,
  isAboutOutputLimit,
  type NextStep,
  selectClientFailure,
} from './attempt.ts'
import type { Candidate } from './quote.ts'

export interface DispatchContext extends AttemptContext {
  /** A credential was limited or rejected: for `ms` milliseconds, the provider's other ones should be used first. */
  coolDownCredential?(providerId: string, credentialIndex: number, ms: number): void
  /** Asked before each attempt after the first one: whether another one may be paid for. The last failure is final if not. */
  admitAgain?(failed: readonly FailedAttempt[]): Promise<boolean>
  /** The candidate has answered after it was sent the output limit under the other name. */
  learnOutputLimit?(candidate: Candidate): void
  /** [0, 1), for jitter. */
  random(): number
  /** Waits; rejects when the signal aborts. */
  sleep?(ms: number, signal: AbortSignal): Promise<void>
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

interface Log extends Attempts, AttemptLog {}

/**
 * Answers the request by the first candidate that can: each is retried, with all credentials of its provider, before the
 * next one is used. A returned stream is not retried any more: its failure is its last event.
 */
export async function dispatch(
  candidates: readonly Candidate[],
  context: DispatchContext,
): Promise<AnsweredDispatch | FailedDispatch> {
  const startedAt = context.clock.monotonic()
  const log: Log = { startedAt, attempts: [], failed: [], answered: [] }
  const { attempts, failed } = log
  for (const candidate of moveOpenCircuitsLast(candidates, context.breakers)) {
    if (!(await mayCallAgain(context, log))) break
    const outcome = await callCandidate(candidate, context, log)
    if (outcome instanceof UpstreamFailure) return { kind: 'failed', failure: outcome, attempts, failed }
    if (outcome === null) continue
    const firstByteMs = context.clock.monotonic() - startedAt
    return { kind: 'answered', answer: outcome, candidate, firstByteMs, attempts, failed }
  }
  const failure = selectClientFailure(failed.map((attempt) => attempt.failure)) ?? noProvider()
  return { kind: 'failed', failure, attempts, failed }
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

/**
 * Calls one candidate until it answers, or is not worth another attempt. Returns the failure if no other candidate can succeed, and
 * null if the next one may.
 */
async function callCandidate(
  candidate: Candidate,
  context: DispatchContext,
  log: Log,
): Promise<Answer | UpstreamFailure | null> {
  const rotation = new CredentialRotation(candidate.target.credentialOrder)
  log.answered = []
  for (let round = 1; ; round += 1) {
    const result = await callWithEachCredential(candidate, rotation, context, log)
    if (!(result instanceof UpstreamFailure)) return result
    // The client's own program decides whether it uses its sign-in again.
    const next = candidate.encoded?.verbatim ? STOP : decideNextStep(result, round, context.random)
    if (next.step === 'retry' && (await mayCallAgain(context, log))) {
      await sleep(next.delayMs, context)
      continue
    }
    const last = log.failed.at(-1)
    if (last && log.answered.length > 0) last.answered = log.answered
    return next.step === 'failover' ? null : result
  }
}

/** Attempts the candidate with one credential after the other, as long as it is the credential that is rejected. */
async function callWithEachCredential(
  candidate: Candidate,
  rotation: CredentialRotation,
  context: DispatchContext,
  log: Log,
): Promise<Answer | UpstreamFailure> {
  let isRenamed = false
  for (;;) {
    if (context.signal.aborted) return abortedFailure()
    const credentialIndex = rotation.current
    const result = await attemptCandidate(candidate, credentialIndex, context, log)
    if (!(result instanceof UpstreamFailure)) {
      if (isRenamed) context.learnOutputLimit?.(candidate)
      return result
    }
    log.failed.push({ candidate, failure: result, answered: [] })
    const renamed = !isRenamed && isAboutOutputLimit(result) ? candidate.renameOutputLimit?.() : null
    if (renamed) {
      candidate.encoded = renamed
      isRenamed = true
      continue
    }
    const coolDownMs = coolDownAfter(result)
    if (coolDownMs !== null) {
      context.coolDownCredential?.(candidate.target.providerId, credentialIndex, coolDownMs)
    }
    if (!rotation.advance(result)) return result
  }
}

const STOP: NextStep = { step: 'stop' }

function mayCallAgain({ admitAgain }: DispatchContext, { failed }: Log): boolean | Promise<boolean> {
  return failed.length === 0 || !admitAgain || admitAgain(failed)
}

/** Returns early when the signal aborts. */
async function sleep(ms: number, context: DispatchContext): Promise<void> {
  const { clock, signal, sleep = (delayMs: number) => getTimers(clock).delay(delayMs, { signal }) } = context
  await sleep(ms, signal).catch((error: unknown) => {
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
