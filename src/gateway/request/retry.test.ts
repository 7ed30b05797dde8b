import { describe, expect, it } from 'vitest'
import { type FailureDetail, NOT_SUPPORTED, UpstreamFailure } from '../formats/chat/failure.ts'
import { decideNextStep, selectClientFailure } from './retry.ts'

function failure(detail: Partial<FailureDetail>): UpstreamFailure {
  return new UpstreamFailure({ kind: 'status', message: 'm', ...detail })
}

describe('decideNextStep', () => {
  const step = (detail: Partial<FailureDetail>, attempts = 1) =>
    decideNextStep(failure(detail), attempts, () => 0.5)

  it.each<[string, Partial<FailureDetail>]>([
    ['a broken connection', { kind: 'network' }],
    ['silence', { kind: 'timeout' }],
    ['a malformed answer', { kind: 'malformed' }],
    ...[408, 409, 429, 500, 502, 503, 504, 529].map((status): [string, object] => [
      `status ${status}`,
      { status },
    ]),
  ])('retries %s twice, then fails over', (_, detail) => {
    expect(step(detail, 1)).toEqual({ step: 'retry', delayMs: 750 })
    expect(step(detail, 2)).toEqual({ step: 'retry', delayMs: 1250 })
    expect(step(detail, 3)).toEqual({ step: 'failover' })
  })

  it.each<[string, Partial<FailureDetail>]>([
    ['a credential that is missing', { kind: 'credential' }],
    ...[401, 402, 403, 404, 307, 405].map((status): [string, object] => [`status ${status}`, { status }]),
    ['an empty account', { status: 429, code: 'insufficient_quota' }],
    ['an enforced spend limit', { status: 429, code: 'enforced_spend_limit_reached' }],
    ['an error without a status', { status: null }],
    ['a request that the format cannot say', { status: 400, code: NOT_SUPPORTED }],
  ])('fails over immediately after %s', (_, detail) => {
    expect(step(detail)).toEqual({ step: 'failover' })
  })

  it.each<[string, Partial<FailureDetail>]>([
    ['an abort', { kind: 'aborted' }],
    ...[400, 413, 422].map((status): [string, object] => [`status ${status}`, { status }]),
  ])('stops after %s', (_, detail) => {
    expect(step(detail)).toEqual({ step: 'stop' })
  })

  it('respects a Retry-After of up to 10 s, and does not wait for a longer one', () => {
    expect(step({ status: 429, retryAfterMs: 10_000 })).toEqual({ step: 'retry', delayMs: 10_000 })
    expect(step({ status: 503, retryAfterMs: 0 })).toEqual({ step: 'retry', delayMs: 0 })
    expect(step({ status: 429, retryAfterMs: 10_001 })).toEqual({ step: 'failover' })
  })
})

describe('selectClientFailure', () => {
  const busy = failure({ status: 503 })
  const unsupported = failure({ status: 400, code: NOT_SUPPORTED })
  const unknownModel = failure({ status: 404 })

  it('is the last one', () => {
    const refused = failure({ status: 401 })
    expect(selectClientFailure([busy, refused])).toBe(refused)
  })

  it('is a transient one, when other targets only lack the format or the model', () => {
    expect(selectClientFailure([busy, unsupported, unknownModel])).toBe(busy)
  })

  it('is the missing format or model when there is no other failure', () => {
    expect(selectClientFailure([unknownModel, unsupported])).toBe(unsupported)
    expect(selectClientFailure([])).toBeNull()
  })
})
