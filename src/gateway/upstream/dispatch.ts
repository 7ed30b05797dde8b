// Owns the way of one request through its ordered targets: try, try again, go to the next, or give up.
// Knows nothing of keys, money or clients; what a failure means to them is decided in `answers.ts`.
import { setTimeout as delay } from 'node:timers/promises'
import type { ChatRequest } from '../../shared/chat.ts'
import type { Attempt } from '../../shared/requests.ts'
import type { Answer } from '../chat/events.ts'
import type { Clock } from '../clock.ts'
import type { Breakers } from './breaker.ts'
import { UpstreamFailure } from './failure.ts'
import type { UpstreamPool } from './pool.ts'
import { nextStep } from './retry.ts'
import type { Target } from './target.ts'
import { tryOnce } from './try.ts'
import { restAfter, Turns } from './turns.ts'

export interface DispatchInput {
  /** In the order of preference. */
  targets: readonly Target[]
  request: ChatRequest
  /** Aborting it ends the upstream call at once. */
  signal: AbortSignal
  /** One of the provider's secrets by its place, or null when none is kept. May throw (a locked keychain). */
  credentialFor(providerId: string, place: number): Promise<string | null>
  /** A credential was limited or refused: others should go first for so many milliseconds. */
  restCredential?(providerId: string, place: number, ms: number): void
  clock: Clock
  /** [0, 1), for jitter. */
  random(): number
  pool: UpstreamPool
  breakers: Breakers
  /** Waits; rejects when the signal aborts. */
  sleep?(ms: number, signal: AbortSignal): Promise<void>
  /** Called when an attempt has failed or has begun to answer. */
  onAttempt?(attempt: Attempt): void
}

export interface Dispatched {
  answer: Answer
  target: Target
  /** Every attempt so far, the answering one last. That one's `ms` and `error` are final once its stream has ended. */
  attempts: Attempt[]
  /** Milliseconds from the call of `dispatch` to the first event or the plain answer. */
  firstByteMs: number
}

/** Every target failed, or the request cannot be served by any. */
export class DispatchFailure extends Error {
  override name = 'DispatchFailure'
  /** What the client is to be told of: the last failure. */
  readonly failure: UpstreamFailure
  readonly attempts: Attempt[]

  constructor(failure: UpstreamFailure, attempts: Attempt[]) {
    super(failure.message)
    this.failure = failure
    this.attempts = attempts
  }
}

async function sleepFor(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal })
}

function nobody(): UpstreamFailure {
  return new UpstreamFailure({ kind: 'network', message: 'No provider can serve this model now.' })
}

function aborted(): UpstreamFailure {
  return new UpstreamFailure({
    kind: 'aborted',
    message: 'The request was ended before an upstream answered.',
  })
}

/** Ready providers keep their order; resting ones are tried last instead of never. */
function restingLast(targets: readonly Target[], breakers: Breakers): Target[] {
  const ready = targets.filter((target) => breakers.isReady(target.providerId))
  const resting = targets.filter((target) => !ready.includes(target))
  return [...ready, ...resting]
}

/** Tries the target with one of its credentials after the other, as long as it is the credential that is turned away. */
async function tryInTurn(
  input: DispatchInput,
  target: Target,
  turns: Turns,
  attempts: Attempt[],
): Promise<Answer | UpstreamFailure> {
  for (;;) {
    if (input.signal.aborted) throw new DispatchFailure(aborted(), attempts)
    const place = turns.current
    const outcome = await tryOnce(input, target, place, attempts)
    if (!(outcome instanceof UpstreamFailure)) return outcome
    const rest = restAfter(outcome)
    if (rest !== null) input.restCredential?.(target.providerId, place, rest)
    if (!turns.pass(outcome)) return outcome
  }
}

/**
 * Answers the request from the first target that can. Throws DispatchFailure. Once a stream is returned, nothing
 * is tried again: its failure is its last event.
 */
export async function dispatch(input: DispatchInput): Promise<Dispatched> {
  const startedAt = input.clock.monotonic()
  const sleep = input.sleep ?? sleepFor
  const attempts: Attempt[] = []
  let last: UpstreamFailure | null = null
  for (const target of restingLast(input.targets, input.breakers)) {
    const turns = new Turns(target.credentialOrder)
    for (let tries = 1; ; tries += 1) {
      const outcome = await tryInTurn(input, target, turns, attempts)
      if (!(outcome instanceof UpstreamFailure)) {
        return { answer: outcome, target, attempts, firstByteMs: input.clock.monotonic() - startedAt }
      }
      last = outcome
      const next = nextStep(outcome, tries, input.random)
      if (next.step === 'stop') throw new DispatchFailure(outcome, attempts)
      if (next.step === 'failover') break
      await sleep(next.delayMs, input.signal).catch((error: unknown) => {
        throw input.signal.aborted ? new DispatchFailure(aborted(), attempts) : error
      })
    }
  }
  throw new DispatchFailure(last ?? nobody(), attempts)
}
