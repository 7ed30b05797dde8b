// Requests and tokens per minute, for the plan and for each key: sliding windows on the monotonic clock. A rejected request
// does not count.
import type { Plan } from '../../../shared/api/account.ts'
import type { KeyState } from '../../keys/key-state.ts'
import type { Clock } from '../../platform/clock.ts'
import { GatewayError } from '../../platform/errors.ts'
import { getOrCreate } from '../../platform/maps.ts'

export interface RateAdmission {
  /** `x-ratelimit-*`, named as OpenAI names them. */
  headers: Record<string, string>
  /** Call with the tokens that the request really used. */
  settle(tokens: number): void
  /** The request was rejected later and does not count. */
  cancel(): void
}

export class RateLimits {
  readonly #clock: Clock
  readonly #account: { readonly plan: Plan }
  readonly #plan = new UsageWindow()
  readonly #keys = new WeakMap<KeyState, UsageWindow>()

  constructor(clock: Clock, account: { readonly plan: Plan }) {
    this.#clock = clock
    this.#account = account
  }

  /** Counts a request of about `tokens`. Throws 429 with `Retry-After` when it does not fit yet. */
  admit(key: KeyState, tokens: number): RateAdmission {
    const now = this.#clock.monotonic()
    const plan = this.#account.plan
    const planLimits = { requests: plan.requestsPerMinute, tokens: plan.tokensPerMinute }
    const keyLimits = {
      requests: Math.min(key.rpmLimit ?? planLimits.requests, planLimits.requests),
      tokens: Math.min(key.tpmLimit ?? planLimits.tokens, planLimits.tokens),
    }
    const window = getOrCreate(this.#keys, key, () => new UsageWindow())
    const keyBound: Bound = { window, limits: keyLimits }
    const planWaitMs = this.#plan.waitMs(now, planLimits, tokens)
    const keyWaitMs = window.waitMs(now, keyLimits, tokens)
    if (planWaitMs > 0 && planWaitMs >= keyWaitMs) {
      const where = 'under Settings, in the section Limits, or with PATCH /v1/settings (planLimits)'
      throw tooMany({ window: this.#plan, limits: planLimits }, now, tokens, {
        code: 'plan_rate_limit',
        whose: 'account',
        where,
      })
    }
    if (keyWaitMs > 0) {
      throw tooMany(keyBound, now, tokens, {
        code: 'key_rate_limit',
        whose: `key "${key.name}"`,
        where: `under Keys, or with PATCH /v1/keys/${key.id}`,
      })
    }
    const planUse = this.#plan.add(now, tokens)
    const keyUse = window.add(now, tokens)
    return {
      headers: rateHeaders(keyBound, now, 0),
      settle: (used) => {
        this.#plan.correct(planUse, used)
        window.correct(keyUse, used)
      },
      cancel: () => {
        this.#plan.remove(planUse)
        window.remove(keyUse)
      },
    }
  }
}

/** A window with its limits. */
interface Bound {
  window: UsageWindow
  limits: Limits
}

/** How long a request of `tokens` must wait for each of the limits. */
function waitsFor({ window, limits }: Bound, now: number, tokens: number): Limits {
  return {
    requests: window.waitMs(now, { requests: limits.requests, tokens: Infinity }, tokens),
    tokens: window.waitMs(now, { requests: Infinity, tokens: limits.tokens }, tokens),
  }
}

/** `tokens`: of a rejected request, which may have to wait longer than until the next use leaves the window; else 0. */
function rateHeaders(bound: Bound, now: number, tokens: number): Record<string, string> {
  const { window, limits } = bound
  const used = window.count(now)
  const wait = waitsFor(bound, now, tokens)
  return {
    'x-ratelimit-limit-requests': String(limits.requests),
    'x-ratelimit-limit-tokens': String(limits.tokens),
    'x-ratelimit-remaining-requests': String(Math.max(0, limits.requests - used.requests)),
    'x-ratelimit-remaining-tokens': String(Math.max(0, limits.tokens - used.tokens)),
    'x-ratelimit-reset-requests': formatWait(Math.max(window.freesIn(now, 'requests'), wait.requests)),
    'x-ratelimit-reset-tokens': formatWait(Math.max(window.freesIn(now, 'tokens'), wait.tokens)),
  }
}

/** Rounds up, but ignores the rounding error of a clock with fractions of a millisecond. */
function roundUpMs(wait: number): number {
  return Math.ceil(wait - 0.001)
}

/** Formats a time as OpenAI does: `250ms`, `39.5s`, `1m0s`. */
function formatWait(wait: number): string {
  const ms = roundUpMs(wait)
  if (ms > 0 && ms < 1000) return `${ms}ms`
  const minutes = Math.floor(ms / 60_000)
  return `${minutes > 0 ? `${minutes}m` : ''}${(ms % 60_000) / 1000}s`
}

interface LimitSource {
  code: 'key_rate_limit' | 'plan_rate_limit'
  whose: string
  where: string
}

function tooMany(
  bound: Bound,
  now: number,
  tokens: number,
  { code, whose, where }: LimitSource,
): GatewayError {
  const wait = waitsFor(bound, now, tokens)
  const what = wait.requests >= wait.tokens ? 'requests' : 'tokens'
  const seconds = Math.max(1, Math.ceil(roundUpMs(Math.max(wait.requests, wait.tokens)) / 1000))
  const limit = bound.limits[what]
  const unit = limit === 1 ? what.slice(0, -1) : what
  const used = `The limit of ${limit.toLocaleString('en')} ${unit} per minute of the ${whose} is used up.`
  return new GatewayError({
    status: 429,
    code,
    message: `${used} Try again in ${seconds} s. It is set in Tollgate ${where}.`,
    headers: { ...rateHeaders(bound, now, tokens), 'retry-after': String(seconds) },
  })
}

const WINDOW_MS = 60_000
/** Uses that have left the window, before their places are given up. */
const MAX_LEFT = 1_000

export interface Limits {
  requests: number
  tokens: number
}

/** A request with more tokens than the limit of a minute is admitted when the window is empty. */
function fits(requests: number, used: number, limits: Limits, tokens: number): boolean {
  return requests < limits.requests && (used + tokens <= limits.tokens || requests === 0)
}

interface Use {
  readonly at: number
  tokens: number
  isCounted: boolean
}

function leavesIn({ at }: Use, now: number): number {
  return at + WINDOW_MS - now
}

/** The uses of the last minute, with their sums. */
export class UsageWindow {
  /** In order of time. */
  #uses: Use[] = []
  /** Uses before this one do not count anymore. */
  #first = 0
  #requests = 0
  #tokens = 0

  /** The requests and tokens of the minute before `now`. */
  count(now: number): Limits {
    this.#expire(now)
    return { requests: this.#requests, tokens: this.#tokens }
  }

  add(at: number, tokens: number): Use {
    const use = { at, tokens, isCounted: true }
    this.#uses.push(use)
    this.#requests += 1
    this.#tokens += tokens
    return use
  }

  /** Replaces a use's estimated tokens by the actual number. */
  correct(use: Use, tokens: number): void {
    if (!use.isCounted) return
    this.#tokens += tokens - use.tokens
    use.tokens = tokens
  }

  remove(use: Use): void {
    if (!use.isCounted) return
    use.isCounted = false
    this.#requests -= 1
    this.#tokens -= use.tokens
  }

  /** Milliseconds until the next use with requests, or with tokens, leaves the window. */
  freesIn(now: number, what: keyof Limits): number {
    this.#expire(now)
    for (let index = this.#first; index < this.#uses.length; index += 1) {
      const use = this.#uses[index]
      if (use?.isCounted && (what === 'requests' || use.tokens > 0)) return leavesIn(use, now)
    }
    return 0
  }

  /** Milliseconds until enough uses have left the window that one more request of `tokens` fits. */
  waitMs(now: number, limits: Limits, tokens: number): number {
    this.#expire(now)
    let requests = this.#requests
    let used = this.#tokens
    if (fits(requests, used, limits, tokens)) return 0
    for (let index = this.#first; index < this.#uses.length; index += 1) {
      const use = this.#uses[index]
      if (!use?.isCounted) continue
      requests -= 1
      used -= use.tokens
      if (fits(requests, used, limits, tokens)) return leavesIn(use, now)
    }
    return 0
  }

  #expire(now: number): void {
    for (let use = this.#uses[this.#first]; use; use = this.#uses[this.#first]) {
      if (use.isCounted && leavesIn(use, now) > 0) break
      this.remove(use)
      this.#first += 1
    }
    if (this.#first < MAX_LEFT || this.#first * 2 < this.#uses.length) return
    this.#uses = this.#uses.slice(this.#first)
    this.#first = 0
  }
}
