const WINDOW_MS = 60_000
const LEAST_CAPACITY = 16
/** In place of the tokens of a use that was removed. */
const REMOVED = Number.NaN

export interface Limits {
  requests: number
  tokens: number
}

/** A request with more tokens than the limit of a minute is admitted when the window is empty. */
function fits(requests: number, used: number, limits: Limits, tokens: number): boolean {
  return requests < limits.requests && (used + tokens <= limits.tokens || requests === 0)
}

/**
 * The uses of the last minute, in order of time. There can be millions, so they are no objects but numbers in rings, and the
 * sums are kept.
 */
export class UsageWindow {
  #at = new Float64Array(LEAST_CAPACITY)
  #tokens = new Float64Array(LEAST_CAPACITY)
  /** Uses are numbered; the place of one in the rings is its number modulo their length, which is a power of two. */
  #first = 0
  #end = 0
  /** No use before this one has tokens. */
  #firstWithTokens = 0
  #requestCount = 0
  #tokenCount = 0

  /** The requests and tokens of the minute before `now`. */
  count(now: number): Limits {
    this.#expire(now)
    return { requests: this.#requestCount, tokens: this.#tokenCount }
  }

  /** Returns the number of the use. */
  add(at: number, tokens: number): number {
    if (this.#end - this.#first === this.#at.length) this.#resize(this.#at.length * 2)
    const use = this.#end++
    this.#at[this.#placeOf(use)] = at
    this.#tokens[this.#placeOf(use)] = tokens
    this.#requestCount++
    this.#tokenCount += tokens
    return use
  }

  /** Replaces a use's estimated tokens by the actual number. */
  correct(use: number, tokens: number): void {
    if (!this.#has(use)) return
    this.#tokenCount += tokens - this.#tokensOf(use)
    this.#tokens[this.#placeOf(use)] = tokens
    if (tokens > 0) this.#firstWithTokens = Math.min(this.#firstWithTokens, use)
  }

  remove(use: number): void {
    if (!this.#has(use)) return
    this.#requestCount--
    this.#tokenCount -= this.#tokensOf(use)
    this.#tokens[this.#placeOf(use)] = REMOVED
  }

  /** Milliseconds until the next use with requests, or with tokens, leaves the window. */
  freesIn(now: number, what: keyof Limits): number {
    this.#expire(now)
    let use = this.#first
    if (what === 'tokens') {
      use = Math.max(use, this.#firstWithTokens)
      while (use < this.#end && !(this.#tokensOf(use) > 0)) use++
      this.#firstWithTokens = use
    }
    return use < this.#end ? this.#leavesIn(use, now) : 0
  }

  /** Milliseconds until enough uses have left the window that one more request of `tokens` fits. */
  waitMs(now: number, limits: Limits, tokens: number): number {
    this.#expire(now)
    let requests = this.#requestCount
    let used = this.#tokenCount
    if (fits(requests, used, limits, tokens)) return 0
    for (let use = this.#first; use < this.#end; use++) {
      if (!this.#has(use)) continue
      requests--
      used -= this.#tokensOf(use)
      if (fits(requests, used, limits, tokens)) return this.#leavesIn(use, now)
    }
    return 0
  }

  /** Afterwards, the first use is one that counts. */
  #expire(now: number): void {
    while (this.#first < this.#end) {
      const isRemoved = !this.#has(this.#first)
      if (!isRemoved && this.#leavesIn(this.#first, now) > 0) break
      if (!isRemoved) this.remove(this.#first)
      this.#first++
    }
    const capacity = this.#at.length
    if (capacity > LEAST_CAPACITY && (this.#end - this.#first) * 8 < capacity) this.#resize(capacity / 2)
  }

  /** Whether the use still counts. */
  #has(use: number): boolean {
    return use >= this.#first && !Number.isNaN(this.#tokensOf(use))
  }

  #leavesIn(use: number, now: number): number {
    return (this.#at[this.#placeOf(use)] ?? 0) + WINDOW_MS - now
  }

  #tokensOf(use: number): number {
    return this.#tokens[this.#placeOf(use)] ?? 0
  }

  #placeOf(use: number): number {
    return use & (this.#at.length - 1)
  }

  #resize(capacity: number): void {
    const at = new Float64Array(capacity)
    const tokens = new Float64Array(capacity)
    for (let use = this.#first; use < this.#end; use++) {
      at[use & (capacity - 1)] = this.#at[this.#placeOf(use)] ?? 0
      tokens[use & (capacity - 1)] = this.#tokensOf(use)
    }
    this.#at = at
    this.#tokens = tokens
  }
}
