// Owns the way of one request through its ordered targets: try, try again, go to the next, or give up.
// Knows nothing of keys, money or clients; what a failure means to them is decided in `answers.ts`.
import { setTimeout as delay } from 'node:timers/promises'
import type { Attempt } from '../../shared/requests.ts'
import type { Answer, PlainAnswer } from '../formats/events.ts'
import type { Target } from '../formats/target.ts'
import { UpstreamFailure } from '../formats/upstream-failure.ts'
import type { CircuitBreakers } from '../upstream/circuit-breaker.ts'
import { CredentialRotation, coolDownAfter } from '../upstream/credential-rotation.ts'
import { type TryInput, tryOnce } from './attempt.ts'
import { nextStep, tellingFailure } from './retry.ts'

export interface DispatchInput extends TryInput {
  /** In the order of preference. */
  targets: readonly Target[]
  /** A credential was limited or refused: others should go first for so many milliseconds. */
  coolDownCredential?(providerId: string, credentialIndex: number, ms: number): void
  /** [0, 1), for jitter. */
  random(): number
  /** Waits; rejects when the signal aborts. */
  sleep?(ms: number, signal: AbortSignal): Promise<void>
}

/** A try that came to nothing, and where. Its provider may have worked all the same. */
export interface FailedTry {
  target: Target
  failure: UpstreamFailure
  /** Choices that the target had answered all the same, on the last of its tries; each was billed. */
  answered: readonly PlainAnswer[]
}

export interface Dispatched {
  answer: Answer
  target: Target
  /** Every attempt so far, the answering one last. That one's `ms` and `error` are final once its stream has ended. */
  attempts: Attempt[]
  /** The tries before the answering one, in order. */
  failed: readonly FailedTry[]
  /** Milliseconds from the call of `dispatch` to the first event or the plain answer. */
  firstByteMs: number
}

interface Tries {
  attempts: Attempt[]
  failed: FailedTry[]
}

/** Every target failed, or the request cannot be served by any. */
export class DispatchFailure extends Error {
  override name = 'DispatchFailure'
  /** What the client is to be told of: the last failure. */
  readonly failure: UpstreamFailure
  readonly attempts: Attempt[]
  /** Every try, in order: what is told and what is charged need not be the same one. */
  readonly failed: readonly FailedTry[]

  constructor(failure: UpstreamFailure, { attempts, failed }: Tries) {
    super(failure.message)
    this.failure = failure
    this.attempts = attempts
    this.failed = failed
  }
}

async function sleepFor(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal })
}

function nobody(): UpstreamFailure {
  return new UpstreamFailure({
    kind: 'network',
    sent: false,
    message: 'No provider can serve this model now.',
  })
}

function aborted(): UpstreamFailure {
  return new UpstreamFailure({
    kind: 'aborted',
    sent: false,
    message: 'The request was ended before an upstream answered.',
  })
}

/** Ready providers keep their order; resting ones are tried last instead of never. */
function restingLast(targets: readonly Target[], breakers: CircuitBreakers): Target[] {
  const ready = targets.filter((target) => breakers.allows(target.providerId))
  const resting = targets.filter((target) => !ready.includes(target))
  return [...ready, ...resting]
}

/** Tries the target with one of its credentials after the other, as long as it is the credential that is turned away. */
async function tryInTurn(
  input: DispatchInput,
  target: Target,
  rotation: CredentialRotation,
  tries: Tries,
  answered: PlainAnswer[],
): Promise<Answer | UpstreamFailure> {
  for (;;) {
    if (input.signal.aborted) throw new DispatchFailure(aborted(), tries)
    const place = rotation.current
    const outcome = await tryOnce(input, target, place, tries.attempts, answered)
    if (!(outcome instanceof UpstreamFailure)) return outcome
    tries.failed.push({ target, failure: outcome, answered: [] })
    const coolDownMs = coolDownAfter(outcome)
    if (coolDownMs !== null) input.coolDownCredential?.(target.providerId, place, coolDownMs)
    if (!rotation.advance(outcome)) return outcome
  }
}

/**
 * Answers the request from the first target that can. Throws DispatchFailure. Once a stream is returned, nothing
 * is tried again: its failure is its last event.
 */
export async function dispatch(input: DispatchInput): Promise<Dispatched> {
  const startedAt = input.clock.monotonic()
  const sleep = input.sleep ?? sleepFor
  const tries: Tries = { attempts: [], failed: [] }
  for (const target of restingLast(input.targets, input.breakers)) {
    const rotation = new CredentialRotation(target.credentialOrder)
    const answered: PlainAnswer[] = []
    try {
      for (let round = 1; ; round += 1) {
        const outcome = await tryInTurn(input, target, rotation, tries, answered)
        if (!(outcome instanceof UpstreamFailure)) {
          answered.length = 0
          return { answer: outcome, target, ...tries, firstByteMs: input.clock.monotonic() - startedAt }
        }
        const next = nextStep(outcome, round, input.random)
        if (next.step === 'stop') throw new DispatchFailure(outcome, tries)
        if (next.step === 'failover') break
        await sleep(next.delayMs, input.signal).catch((error: unknown) => {
          throw input.signal.aborted ? new DispatchFailure(aborted(), tries) : error
        })
      }
    } finally {
      const last = tries.failed.at(-1)
      if (last && answered.length > 0) last.answered = answered
    }
  }
  throw new DispatchFailure(tellingFailure(tries.failed.map(({ failure }) => failure)) ?? nobody(), tries)
}
