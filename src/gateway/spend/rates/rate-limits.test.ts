import { beforeEach, describe, expect, it } from 'vitest'
import type { Plan } from '../../../shared/api/account.ts'
import { NO_KEY_OPTIONS } from '../../../shared/api/key-options.ts'
import { ZERO_USD } from '../../../shared/money/money.ts'
import type { KeyState } from '../../keys/key-state.ts'
import type { GatewayError } from '../../platform/errors.ts'
import { RateLimits } from './rate-limits.ts'

const plan: Plan = {
  id: 'pay-as-you-go',
  name: 'Plan',
  monthlyUsd: 0,
  discountPercent: 0,
  requestsPerMinute: 5,
  tokensPerMinute: 1_000,
}
let now = 0
const clock = { now: () => 0, monotonic: () => now }

function key(limits: Partial<KeyState> = {}): KeyState {
  return {
    id: 'key_1',
    name: 'one',
    scope: 'full',
    purpose: 'user',
    secretHash: null,
    secretHint: null,
    createdAt: 0,
    lastUsedAt: null,
    revokedAt: null,
    ...NO_KEY_OPTIONS,
    spendNano: ZERO_USD,
    reservedNano: ZERO_USD,
    limitNano: null,
    modelMatcher: null,
    expirySeen: false,
    ...limits,
  }
}

function refusal(act: () => unknown): GatewayError {
  try {
    act()
  } catch (error) {
    return error as GatewayError
  }
  throw new Error('it was admitted')
}

let limits: RateLimits
beforeEach(() => {
  now = 1_000
  limits = new RateLimits(clock, { plan })
})

describe('rate limits', () => {
  it('reject a request above the limit with 429, and admit it after exactly Retry-After', () => {
    const one = key()
    for (let each = 0; each < 5; each++) {
      limits.admit(one, 1)
      now += 1_000
    }
    const error = refusal(() => limits.admit(one, 1))
    expect(error.status).toBe(429)
    expect(error.body).toMatchObject({ type: 'rate_limit_exceeded', code: 'plan_rate_limit' })
    const seconds = Number(error.headers['retry-after'])
    expect(seconds).toBe(55)
    now += seconds * 1_000 - 1
    refusal(() => limits.admit(one, 1))
    now += 1
    limits.admit(one, 1)
  })

  it('count the tokens that a request really used', () => {
    const one = key()
    const admitted = limits.admit(one, 900)
    refusal(() => limits.admit(one, 200))
    admitted.settle(500)
    limits.admit(one, 200)
    refusal(() => limits.admit(one, 400))
  })

  it('do not count rejected or canceled requests', () => {
    const one = key({ rpmLimit: 1 })
    limits.admit(one, 1).cancel()
    limits.admit(one, 1)
    for (let each = 0; each < 10; each++) refusal(() => limits.admit(one, 1))
    now += 60_000
    limits.admit(one, 1)
  })

  it("apply a key's own limit, and the plan's limit to all keys together", () => {
    const small = key({ rpmLimit: 2 })
    limits.admit(small, 1)
    limits.admit(small, 1)
    expect(refusal(() => limits.admit(small, 1)).body.code).toBe('key_rate_limit')
    const other = key()
    for (let each = 0; each < 3; each++) limits.admit(other, 1)
    expect(refusal(() => limits.admit(other, 1)).body.code).toBe('plan_rate_limit')
  })

  it('admit a request above the limit of a minute when the window is empty', () => {
    limits.admit(key(), 5_000)
    refusal(() => limits.admit(key(), 1))
  })

  it('return limits and remaining amounts in the headers that SDKs read', () => {
    expect(limits.admit(key({ tpmLimit: 500 }), 100).headers).toMatchObject({
      'x-ratelimit-limit-requests': '5',
      'x-ratelimit-remaining-requests': '4',
      'x-ratelimit-limit-tokens': '500',
      'x-ratelimit-remaining-tokens': '400',
    })
  })

  it('return when more is available, and how long a rejected request must wait', () => {
    const resets = ({ headers }: { headers: Readonly<Record<string, string>> }) => [
      headers['x-ratelimit-reset-requests'],
      headers['x-ratelimit-reset-tokens'],
    ]
    const one = key()
    expect(resets(limits.admit(one, 0))).toEqual(['1m0s', '0s'])
    now += 20_500
    expect(resets(limits.admit(one, 300))).toEqual(['39.5s', '1m0s'])
    now += 39_250
    expect(resets(limits.admit(one, 600))).toEqual(['250ms', '20.75s'])
    expect(resets(refusal(() => limits.admit(one, 200)))).toEqual(['250ms', '20.75s'])
    expect(resets(refusal(() => limits.admit(one, 500)))).toEqual(['250ms', '1m0s'])
  })

  it('return times exact to the millisecond on a clock with fractions', () => {
    for (let step = 1; step < 500; step++) {
      now = step * Math.PI * 1_000
      const one = key({ rpmLimit: 1 })
      limits = new RateLimits(clock, { plan })
      expect(limits.admit(one, 1).headers['x-ratelimit-reset-requests']).toBe('1m0s')
      expect(refusal(() => limits.admit(one, 1)).headers['retry-after']).toBe('60')
    }
  })

  it('name the limit that is reached and where to change it', () => {
    const plans = limits
    for (let each = 0; each < 5; each++) plans.admit(key(), 1)
    expect(refusal(() => plans.admit(key(), 1)).message).toBe(
      'The limit of 5 requests per minute of the account is used up. Try again in 60 s. It is set in Tollgate under Settings, in the section Limits, or with PATCH /v1/settings (planLimits).',
    )
    const small = key({ tpmLimit: 2_000, id: 'key_7' })
    limits = new RateLimits(clock, { plan: { ...plan, tokensPerMinute: 10_000 } })
    limits.admit(small, 1_500)
    expect(refusal(() => limits.admit(small, 600)).message).toBe(
      'The limit of 2,000 tokens per minute of the key "one" is used up. Try again in 60 s. It is set in Tollgate under Keys, or with PATCH /v1/keys/key_7.',
    )
  })
})
