// Requests and tokens per minute, for the plan and for each key: sliding windows on the monotonic clock. A rejected request
// does not count.
import type { Plan } from '../../shared/account.ts'
import type { KeyState } from '../keys/api-keys.ts'
import type { Clock } from '../platform/clock.ts'
import { GatewayError } from '../platform/errors.ts'

const WINDOW_MS = 60_000

interface Use {
  at: number
  tokens: number
  /** False once it has left the window or was removed. */
  counted: boolean
}

/** The uses of the last minute, in order of time. */
class Window {
  #uses: Use[] = []
  /** Index of the first use in the window; older ones are removed from the array in batches. */
  #head = 0
  #requests = 0
  #tokens = 0

  add(at: number, tokens: number): Use {
    const use = { at, tokens, counted: true }
    this.#uses.push(use)
    this.#requests++
    this.#tokens += tokens
    return use
  }

  /** Replaces a use's estimated tokens by the actual number. */
  correct(use: Use, tokens: number): void {
    if (use.counted) this.#tokens += tokens - use.tokens
    use.tokens = tokens
  }

  remove(use: Use): void {
    if (!use.counted) return
    use.counted = false
    this.#requests--
    this.#tokens -= use.tokens
  }

  count(now: number): { requests: number; tokens: number } {
    for (let use = this.#uses[this.#head]; use && use.at <= now - WINDOW_MS; use = this.#uses[this.#head]) {
      this.remove(use)
      this.#head++
    }
    if (this.#head > 1_000 && this.#head * 2 > this.#uses.length) {
      this.#uses = this.#uses.slice(this.#head)
      this.#head = 0
    }
    return { requests: this.#requests, tokens: this.#tokens }
  }

  /** Milliseconds until the next use with requests, or with tokens, leaves the window. */
  freesIn(now: number, what: keyof Limits): number {
    this.count(now)
    for (let at = this.#head; at < this.#uses.length; at++) {
      const use = this.#uses[at]
      if (use?.counted && (what === 'requests' || use.tokens > 0)) return use.at + WINDOW_MS - now
    }
    return 0
  }

  /** Milliseconds until enough uses have left the window that one more request of `tokens` fits. */
  waitMs(now: number, limits: Limits, tokens: number): number {
    let { requests, tokens: used } = this.count(now)
    if (fits(requests, used, limits, tokens)) return 0
    for (let at = this.#head; at < this.#uses.length; at++) {
      const use = this.#uses[at]
      if (!use?.counted) continue
      requests--
      used -= use.tokens
      if (fits(requests, used, limits, tokens)) return use.at + WINDOW_MS - now
    }
    return 0
  }
}

interface Limits {
  requests: number
  tokens: number
}

/** A request with more tokens than the limit of a minute is admitted when the window is empty. */
function fits(requests: number, used: number, limits: Limits, tokens: number): boolean {
  return requests < limits.requests && (used + tokens <= limits.tokens || requests === 0)
}

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
  readonly #plan = new Window()
  readonly #keys = new WeakMap<KeyState, Window>()

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
    const window = this.#windowOf(key)
    const plans: Bound = { window: this.#plan, limits: planLimits }
    const own: Bound = { window, limits: keyLimits }
    const planWaitMs = this.#plan.waitMs(now, planLimits, tokens)
    const keyWaitMs = window.waitMs(now, keyLimits, tokens)
    if (planWaitMs > 0 && planWaitMs >= keyWaitMs) {
      const where = 'under Settings, in the section Account, or with PATCH /v1/settings (planLimits)'
      throw tooMany(plans, now, tokens, `plan "${plan.name}"`, where)
    }
    if (keyWaitMs > 0) {
      throw tooMany(own, now, tokens, `key "${key.name}"`, `under Keys, or with PATCH /v1/keys/${key.id}`)
    }
    const uses = [this.#plan, window].map((each) => ({ window: each, use: each.add(now, tokens) }))
    return {
      headers: rateHeaders(own, now, 0),
      settle: (to) => {
        for (const one of uses) one.window.correct(one.use, to)
      },
      cancel: () => {
        for (const one of uses) one.window.remove(one.use)
      },
    }
  }

  #windowOf(key: KeyState): Window {
    let window = this.#keys.get(key)
    if (!window) {
      window = new Window()
      this.#keys.set(key, window)
    }
    return window
  }
}

/** A window with its limits. */
interface Bound {
  window: Window
  limits: Limits
}

/** How long a request of `tokens` must wait for each of the limits. */
function waitsFor({ window, limits }: Bound, now: number, tokens: number): Limits {
  return {
    requests: window.waitMs(now, { ...limits, tokens: Number.POSITIVE_INFINITY }, tokens),
    tokens: window.waitMs(now, { ...limits, requests: Number.POSITIVE_INFINITY }, tokens),
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

/** As OpenAI writes it: `250ms`, `39.5s`, `1m0s`. */
function formatWait(wait: number): string {
  const ms = roundUpMs(wait)
  if (ms > 0 && ms < 1000) return `${ms}ms`
  const minutes = Math.floor(ms / 60_000)
  return `${minutes > 0 ? `${minutes}m` : ''}${(ms % 60_000) / 1000}s`
}

function tooMany(bound: Bound, now: number, tokens: number, whose: string, where: string): GatewayError {
  const wait = waitsFor(bound, now, tokens)
  const what = wait.requests >= wait.tokens ? 'requests' : 'tokens'
  const seconds = Math.max(1, Math.ceil(roundUpMs(Math.max(wait.requests, wait.tokens)) / 1000))
  const limit = bound.limits[what]
  const unit = limit === 1 ? what.slice(0, -1) : what
  const used = `The limit of ${limit.toLocaleString('en')} ${unit} per minute of the ${whose} is used up.`
  return new GatewayError({
    status: 429,
    type: 'rate_limit_exceeded',
    message: `${used} Try again in ${seconds} s. It is set in Tollgate ${where}.`,
    headers: { ...rateHeaders(bound, now, tokens), 'retry-after': String(seconds) },
  })
}
