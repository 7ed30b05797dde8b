import fc from 'fast-check'
import { beforeEach, describe, expect, it, test } from 'vitest'
import type { Plan } from '../../../shared/api/account.ts'
import { NO_KEY_OPTIONS } from '../../../shared/api/key-options.ts'
import { ZERO_USD } from '../../../shared/money/money.ts'
import type { KeyState } from '../../keys/key-state.ts'
import type { GatewayError } from '../../platform/errors.ts'
import { type Limits, RateLimits, UsageWindow } from './rate-limits.ts'

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

const MINUTE = 60_000

type Added = ReturnType<UsageWindow['add']>

interface Use {
  added: Added
  at: number
  tokens: number
}

/** A window like `UsageWindow`, in the simplest way. */
class Model {
  uses: Use[] = []

  count(now: number): Limits {
    this.uses = this.uses.filter(({ at }) => at > now - MINUTE)
    return { requests: this.uses.length, tokens: this.uses.reduce((sum, { tokens }) => sum + tokens, 0) }
  }

  freesIn(now: number, what: keyof Limits): number {
    this.count(now)
    const next = this.uses.find(({ tokens }) => what === 'requests' || tokens > 0)
    return next ? next.at + MINUTE - now : 0
  }

  waitMs(now: number, limits: Limits, asked: number): number {
    this.count(now)
    for (let left = 0; left <= this.uses.length; left++) {
      const rest = this.uses.slice(left)
      const used = rest.reduce((sum, { tokens }) => sum + tokens, 0)
      const hasTokens = used + asked <= limits.tokens || rest.length === 0
      if (rest.length < limits.requests && hasTokens)
        return left === 0 ? 0 : (this.uses[left - 1]?.at ?? 0) + MINUTE - now
    }
    return 0
  }
}

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('add' as const), tokens: fc.nat({ max: 5 }) }) },
  fc.record({ kind: fc.constant('correct' as const), tokens: fc.nat({ max: 5 }), which: fc.nat() }),
  fc.record({ kind: fc.constant('remove' as const), which: fc.nat() }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.nat({ max: 30_000 }) }),
)

test('the window counts as a list of all uses of the last minute does', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const window = new UsageWindow()
      const model = new Model()
      const all: Added[] = []
      let now = 1
      for (const each of steps) {
        const chosen = 'which' in each ? all[each.which % Math.max(all.length, 1)] : undefined
        switch (each.kind) {
          case 'add': {
            const added = window.add(now, each.tokens)
            all.push(added)
            model.uses.push({ added, at: now, tokens: each.tokens })
            break
          }
          case 'correct': {
            if (chosen) window.correct(chosen, each.tokens)
            const found = model.uses.find(({ added }) => added === chosen)
            if (found) found.tokens = each.tokens
            break
          }
          case 'remove':
            if (chosen) window.remove(chosen)
            model.uses = model.uses.filter(({ added }) => added !== chosen)
            break
          case 'wait':
            now += each.ms
        }
        const limits = { requests: 4, tokens: 8 }
        const asked = [window.freesIn(now, 'requests'), window.freesIn(now, 'tokens')]
        expect(asked).toEqual([model.freesIn(now, 'requests'), model.freesIn(now, 'tokens')])
        expect(window.waitMs(now, limits, 3)).toBe(model.waitMs(now, limits, 3))
        expect(window.count(now)).toEqual(model.count(now))
      }
    }),
    { numRuns: 500 },
  )
})

test('a use that has left the window is neither corrected nor removed again', () => {
  const window = new UsageWindow()
  const old = window.add(0, 5)
  expect(window.count(MINUTE)).toEqual({ requests: 0, tokens: 0 })
  window.add(MINUTE, 1)
  window.correct(old, 100)
  window.remove(old)
  expect(window.count(MINUTE)).toEqual({ requests: 1, tokens: 1 })
})

test('many uses are counted, and forgotten', () => {
  const window = new UsageWindow()
  for (let at = 1; at <= 200_000; at++) window.add(at / 10, 1)
  expect(window.count(20_000)).toEqual({ requests: 200_000, tokens: 200_000 })
  expect(window.count(20_000 + MINUTE - 0.05)).toEqual({ requests: 1, tokens: 1 })
})
