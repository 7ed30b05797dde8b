import { setTimeout as delay } from 'node:timers/promises'
import type { Attempt } from '../../shared/requests.ts'
import type { Answer, PlainAnswer } from '../formats/events.ts'
import { UpstreamFailure } from '../formats/upstream-failure.ts'
import type { CircuitBreakers } from '../upstream/circuit-breaker.ts'
import { CredentialRotation, coolDownAfter } from '../upstream/credential-rotation.ts'
import { type AttemptContext, attemptRoute } from './attempt.ts'
import { decideNextStep, selectClientFailure } from './retry.ts'
import type { FailedAttempt, Route } from './route.ts'

export interface DispatchContext extends AttemptContext {
  /** A credential was limited or rejected: for `ms` milliseconds, the provider's other ones should be used first. */
  coolDownCredential?(providerId: string, credentialIndex: number, ms: number): void
  /** [0, 1), for jitter. */
  random(): number
  /** Waits; rejects when the signal aborts. */
  sleep?(ms: number, signal: AbortSignal): Promise<void>
}

interface Attempts<R extends Route> {
  /** Every attempt, in order. */
  attempts: Attempt[]
  /** Those that failed, in order. The failure that is reported and the one that is charged may differ. */
  failed: FailedAttempt<R>[]
}

export interface Answered<R extends Route> extends Attempts<R> {
  kind: 'answered'
  answer: Answer
  route: R
  /** Milliseconds from the call of `dispatch` to the first event or the plain answer. */
  firstByteMs: number
}

export interface NotAnswered<R extends Route> extends Attempts<R> {
  kind: 'failed'
  /** The one to report to the client. */
  failure: UpstreamFailure
}

/**
 * Answers the request by the first route that can: each is retried, with all credentials of its provider, before the
 * next one is used. A returned stream is not retried any more: its failure is its last event.
 */
export async function dispatch<R extends Route>(
  routes: readonly R[],
  context: DispatchContext,
): Promise<Answered<R> | NotAnswered<R>> {
  const startedAt = context.clock.monotonic()
  const attempts: Attempts<R> = { attempts: [], failed: [] }
  for (const route of moveOpenCircuitsLast(routes, context.breakers)) {
    const outcome = await callRoute(route, context, attempts)
    switch (outcome.kind) {
      case 'answered': {
        const firstByteMs = context.clock.monotonic() - startedAt
        return { kind: 'answered', answer: outcome.answer, route, firstByteMs, ...attempts }
      }
      case 'stop':
        return { kind: 'failed', failure: outcome.failure, ...attempts }
      case 'failover':
    }
  }
  const failure = selectClientFailure(attempts.failed.map((attempt) => attempt.failure)) ?? noProvider()
  return { kind: 'failed', failure, ...attempts }
}

/** A provider with an open circuit is called last instead of never. */
function moveOpenCircuitsLast<R extends Route>(routes: readonly R[], breakers: CircuitBreakers): R[] {
  const allowed = routes.filter(({ target }) => breakers.allows(target.providerId))
  const open = routes.filter((route) => !allowed.includes(route))
  return [...allowed, ...open]
}

type RouteOutcome =
  | { kind: 'answered'; answer: Answer }
  /** The next route may succeed. */
  | { kind: 'failover' }
  | { kind: 'stop'; failure: UpstreamFailure }

/** Calls one route until it answers, or is not worth another attempt. */
async function callRoute<R extends Route>(
  route: R,
  context: DispatchContext,
  attempts: Attempts<R>,
): Promise<RouteOutcome> {
  const rotation = new CredentialRotation(route.target.credentialOrder)
  const answered: PlainAnswer[] = []
  let outcome: RouteOutcome | null = null
  for (let round = 1; outcome === null; round += 1) {
    const result = await callWithEachCredential(route, rotation, context, { ...attempts, answered })
    if (!(result instanceof UpstreamFailure)) return { kind: 'answered', answer: result }
    const next = decideNextStep(result, round, context.random)
    if (next.step === 'stop') outcome = { kind: 'stop', failure: result }
    else if (next.step === 'failover') outcome = { kind: 'failover' }
    else await sleep(next.delayMs, context)
  }
  const last = attempts.failed.at(-1)
  if (last && answered.length > 0) last.answered = answered
  return outcome
}

/** Attempts the route with one credential after the other, as long as it is the credential that is rejected. */
async function callWithEachCredential<R extends Route>(
  route: R,
  rotation: CredentialRotation,
  context: DispatchContext,
  log: Attempts<R> & { answered: PlainAnswer[] },
): Promise<Answer | UpstreamFailure> {
  for (;;) {
    if (context.signal.aborted) return abortedFailure()
    const credentialIndex = rotation.current
    const result = await attemptRoute(route, credentialIndex, context, log)
    if (!(result instanceof UpstreamFailure)) return result
    log.failed.push({ route, failure: result, answered: [] })
    const coolDownMs = coolDownAfter(result)
    if (coolDownMs !== null) {
      context.coolDownCredential?.(route.target.providerId, credentialIndex, coolDownMs)
    }
    if (!rotation.advance(result)) return result
  }
}

/** Returns early when the signal aborts. */
async function sleep(ms: number, context: DispatchContext): Promise<void> {
  const { signal, sleep = (delayMs: number) => delay(delayMs, undefined, { signal }) } = context
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

function abortedFailure(): UpstreamFailure {
  return new UpstreamFailure({
    kind: 'aborted',
    sent: false,
    message: 'The request was aborted before an upstream answered.',
  })
}
