import { describe, expect, it } from 'vitest'
import { type FailureDetail, UpstreamFailure } from './failure.ts'
import { nextStep } from './retry.ts'

function failure(detail: Partial<FailureDetail>): UpstreamFailure {
  return new UpstreamFailure({ kind: 'status', message: 'm', ...detail })
}

describe('nextStep', () => {
  const step = (detail: Partial<FailureDetail>, tries = 1) => nextStep(failure(detail), tries, () => 0.5)

  it.each<[string, Partial<FailureDetail>]>([
    ['a broken connection', { kind: 'network' }],
    ['silence', { kind: 'timeout' }],
    ['a malformed answer', { kind: 'malformed' }],
    ...[408, 409, 429, 500, 502, 503, 504, 529].map((status): [string, object] => [
      `status ${status}`,
      { status },
    ]),
  ])('tries again after %s, twice, then elsewhere', (_, detail) => {
    expect(step(detail, 1)).toEqual({ step: 'retry', delayMs: 750 })
    expect(step(detail, 2)).toEqual({ step: 'retry', delayMs: 1250 })
    expect(step(detail, 3)).toEqual({ step: 'failover' })
  })

  it.each<[string, Partial<FailureDetail>]>([
    ['a credential that is missing', { kind: 'credential' }],
    ...[401, 402, 403, 307, 405].map((status): [string, object] => [`status ${status}`, { status }]),
    ['an empty account', { status: 429, code: 'insufficient_quota' }],
    ['an enforced spend limit', { status: 429, code: 'enforced_spend_limit_reached' }],
    ['an error without a status', { status: null }],
  ])('goes elsewhere at once after %s', (_, detail) => {
    expect(step(detail)).toEqual({ step: 'failover' })
  })

  it.each<[string, Partial<FailureDetail>]>([
    ['an abort', { kind: 'aborted' }],
    ...[400, 404, 413, 422].map((status): [string, object] => [`status ${status}`, { status }]),
  ])('stops after %s', (_, detail) => {
    expect(step(detail)).toEqual({ step: 'stop' })
  })

  it('keeps to a Retry-After of up to 10 s, and waits for no longer one', () => {
    expect(step({ status: 429, retryAfterMs: 10_000 })).toEqual({ step: 'retry', delayMs: 10_000 })
    expect(step({ status: 503, retryAfterMs: 0 })).toEqual({ step: 'retry', delayMs: 0 })
    expect(step({ status: 429, retryAfterMs: 10_001 })).toEqual({ step: 'failover' })
  })
})
