// Owns the policy of trying again: pure functions of a failure and of how often its target was tried.
// Knows nothing of targets, sockets or timers.
import { NOT_SUPPORTED, type UpstreamFailure } from '../formats/upstream-failure.ts'

/** Tries after the first one, on one target. */
const RETRIES = 2
const BASE_DELAY_MS = 500
const LONGEST_RETRY_AFTER_MS = 10_000

export type NextStep =
  /** Call the same target again after `delayMs`. */
  | { step: 'retry'; delayMs: number }
  /** Leave this target; the next one may do better. */
  | { step: 'failover' }
  /** No target can do better: the request is at fault, or nobody waits for the answer any more. */
  | { step: 'stop' }

const ABOUT_THE_REQUEST: ReadonlySet<number> = new Set([400, 413, 422])

/** Codes of a 429 that will not pass by waiting: OpenAI's empty account, Anthropic's enforced spend limit. */
const LASTING_LIMITS: ReadonlySet<string> = new Set(['insufficient_quota', 'enforced_spend_limit_reached'])

/** Whether the same call may succeed if made again soon. Only such failures say that a provider is unwell. */
export function isRetryable(failure: UpstreamFailure): boolean {
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
 * The failure that the client is told of when no target has answered: the last one that says more than that a target
 * lacks the model or the format for the request. A passing failure must not look like a lasting one.
 */
export function tellingFailure(failures: readonly UpstreamFailure[]): UpstreamFailure | null {
  const lacks = ({ kind, status, code }: UpstreamFailure): boolean =>
    code === NOT_SUPPORTED || (kind === 'status' && status === 404)
  return failures.findLast((failure) => !lacks(failure)) ?? failures.at(-1) ?? null
}

/**
 * What to do after a failure that came before the first byte reached the client.
 * `tries`: how often this target has been called, this time included. `random`: [0, 1).
 * The delay doubles from 0.5 s, with up to 0.5 s of jitter; a `Retry-After` of up to 10 s is kept exactly,
 * a longer one is not waited for.
 */
export function nextStep(failure: UpstreamFailure, tries: number, random: () => number): NextStep {
  if (failure.kind === 'aborted') return { step: 'stop' }
  if (failure.code === NOT_SUPPORTED) return { step: 'failover' }
  if (failure.kind === 'status' && failure.status !== null && ABOUT_THE_REQUEST.has(failure.status)) {
    return { step: 'stop' }
  }
  if (!isRetryable(failure) || tries > RETRIES) return { step: 'failover' }
  if (failure.retryAfterMs === null) {
    return { step: 'retry', delayMs: BASE_DELAY_MS * 2 ** (tries - 1) + random() * BASE_DELAY_MS }
  }
  if (failure.retryAfterMs > LONGEST_RETRY_AFTER_MS) return { step: 'failover' }
  return { step: 'retry', delayMs: failure.retryAfterMs }
}
