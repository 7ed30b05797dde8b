// Owns requests and tokens per minute: sliding windows on the monotonic clock, for the plan and for each key.
// Knows nothing of money. A refused request does not count.
import type { AccountBook } from './account.ts'
import type { Clock } from './clock.ts'
import { GatewayError } from './errors.ts'
import type { KeyState } from './keys.ts'

const WINDOW_MS = 60_000

interface Use {
  at: number
  tokens: number
}

/** What the last minute held. */
class Window {
  #uses: Use[] = []
  #tokens = 0

  add(use: Use): void {
    this.#uses.push(use)
    this.#tokens += use.tokens
  }

  /** Corrects a use's tokens to what it came to, or takes it away. */
  change(use: Use, tokens: number | null): void {
    const at = this.#uses.indexOf(use)
    if (at === -1) return
    this.#tokens += (tokens ?? 0) - use.tokens
    if (tokens === null) this.#uses.splice(at, 1)
  }

  count(now: number): { requests: number; tokens: number } {
    let gone = 0
    for (const use of this.#uses) {
      if (use.at > now - WINDOW_MS) break
      this.#tokens -= use.tokens
      gone++
    }
    if (gone > 0) this.#uses.splice(0, gone)
    return { requests: this.#uses.length, tokens: this.#tokens }
  }

  /** Milliseconds until enough uses have left the window that one more request of `tokens` fits. */
  waitMs(now: number, limits: Limits, tokens: number): number {
    let { requests, tokens: used } = this.count(now)
    for (const use of this.#uses) {
      if (fits(requests, used, limits, tokens)) return 0
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

/** A request larger than a whole minute's tokens is let through when nothing else is in the window. */
function fits(requests: number, used: number, limits: Limits, tokens: number): boolean {
  return requests < limits.requests && (used + tokens <= limits.tokens || requests === 0)
}

export interface RateAdmission {
  /** `x-ratelimit-*`, named as OpenAI names them. */
  headers: Record<string, string>
  /** The tokens that the request came to. */
  settle(tokens: number): void
  /** The request was refused after all and does not count. */
  cancel(): void
}

export class RateLimits {
  readonly #clock: Clock
  readonly #account: AccountBook
  readonly #plan = new Window()
  readonly #keys = new WeakMap<KeyState, Window>()

  constructor(clock: Clock, account: AccountBook) {
    this.#clock = clock
    this.#account = account
  }

  /** Counts a request of about `tokens`. Throws 429 with a `Retry-After` after which it fits. */
  admit(key: KeyState, tokens: number): RateAdmission {
    const now = this.#clock.monotonic()
    const plan = this.#account.plan
    const planLimits = { requests: plan.requestsPerMinute, tokens: plan.tokensPerMinute }
    const keyLimits = {
      requests: Math.min(key.rpmLimit ?? planLimits.requests, planLimits.requests),
      tokens: Math.min(key.tpmLimit ?? planLimits.tokens, planLimits.tokens),
    }
    const window = this.#windowOf(key)
    const waitMs = Math.max(this.#plan.waitMs(now, planLimits, tokens), window.waitMs(now, keyLimits, tokens))
    if (waitMs > 0)
      throw tooMany(
        waitMs,
        key.rpmLimit !== null || key.tpmLimit !== null ? `key "${key.name}"` : `plan "${plan.name}"`,
      )
    const use = { at: now, tokens }
    const windows = [this.#plan, window]
    for (const each of windows) each.add(use)
    const change = (to: number | null) => {
      for (const each of windows) each.change(use, to)
      use.tokens = to ?? 0
    }
    return { headers: rateHeaders(window.count(now), keyLimits), settle: change, cancel: () => change(null) }
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

function rateHeaders(used: { requests: number; tokens: number }, limits: Limits): Record<string, string> {
  return {
    'x-ratelimit-limit-requests': String(limits.requests),
    'x-ratelimit-limit-tokens': String(limits.tokens),
    'x-ratelimit-remaining-requests': String(Math.max(0, limits.requests - used.requests)),
    'x-ratelimit-remaining-tokens': String(Math.max(0, limits.tokens - used.tokens)),
    'x-ratelimit-reset-requests': `${WINDOW_MS / 1000}s`,
    'x-ratelimit-reset-tokens': `${WINDOW_MS / 1000}s`,
  }
}

function tooMany(waitMs: number, whose: string): GatewayError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000))
  return new GatewayError({
    status: 429,
    type: 'rate_limit_exceeded',
    message: `The requests or tokens per minute of the ${whose} are used up. Try again in ${seconds} s.`,
    headers: { 'retry-after': String(seconds) },
  })
}
