// The decision after a failed attempt: pure functions of the failure and of how often its candidate was attempted.
import { isSettled, NOT_SUPPORTED, type UpstreamFailure } from '../formats/chat/failure.ts'

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
 * `Retry-After` of up to 10 s is followed exactly, a longer one is not waited for. `isInstead`: the client has asked for another model.
 */
export function decideNextStep(
  failure: UpstreamFailure,
  attempts: number,
  random: () => number,
  isInstead = false,
): NextStep {
  if (failure.kind === 'aborted') return { step: 'stop' }
  // Another call would be billed, too.
  if (isSettled(failure)) return { step: 'stop' }
  if (failure.code === NOT_SUPPORTED) return { step: 'failover' }
  if (failure.kind === 'status' && failure.status !== null && ABOUT_THE_REQUEST.has(failure.status)) {
    return { step: isInstead ? 'failover' : 'stop' }
  }
  if (!isRetryable(failure) || attempts > RETRIES) return { step: 'failover' }
  if (failure.retryAfterMs === null) {
    return { step: 'retry', delayMs: BASE_DELAY_MS * 2 ** (attempts - 1) + random() * BASE_DELAY_MS }
  }
  if (failure.retryAfterMs > LONGEST_RETRY_AFTER_MS) return { step: 'failover' }
  return { step: 'retry', delayMs: failure.retryAfterMs }
}
