// What is known of the requests of one key, and whether they look like a loop that runs away.
import { formatUsd } from '../../../shared/format-usd.ts'
import type { GuardAlert } from '../../../shared/guard.ts'
import { addUsd, type NanoUsd, nanoToUsd, ZERO_USD } from '../../../shared/money.ts'
import type { Level } from './levels.ts'
import { type Counted, RecentCounts } from './recent-counts.ts'
import { RECENT_MINUTES, RecentSpend } from './recent-spend.ts'
import { SpendHabit, type StoredHabit } from './spend-habit.ts'

const MINUTE_MS = 60_000
/** Prompts that are compared with the next ones. */
const PROMPTS = 16
/** A prompt that comes once an hour is no loop. */
const FORGET_PROMPT_MS = 10 * MINUTE_MS
const REFUSAL_KINDS = 4
const REFUSALS_MS = 5 * MINUTE_MS
/** After the user has resumed a key, it may go so many times as far. */
const LENIENCY = 4

/** Why requests are refused, by the code of the error. */
const REFUSALS: ReadonlyMap<string, string> = new Map([
  ['spend_limit_reached', 'its cap, or another limit of its spend, is used up'],
  ['account_limit_reached', 'the limit of all keys together is used up'],
])

export type Finding = Pick<GuardAlert, 'cause' | 'reason' | 'requests' | 'costUsd'>

export class KeyWatch {
  readonly habit: SpendHabit
  #recent = new RecentSpend()
  #prompts = newPrompts()
  #refusals = newRefusals()
  /** The minute that has not ended yet. */
  #minute = -1
  #minuteSpent: NanoUsd = ZERO_USD
  #leniency = 1

  constructor(stored?: StoredHabit) {
    this.habit = new SpendHabit(stored)
  }

  /** A request was charged. `fingerprint`: null where equal prompts are allowed. `now`: monotonic milliseconds. */
  charged(now: number, cost: NanoUsd, fingerprint: number | null, level: Level): Finding | null {
    this.#learn(now, cost)
    this.#recent.add(now, cost)
    const repeated = fingerprint === null ? null : this.#prompts.add(fingerprint, now, cost)
    return this.#findSpend(now, level) ?? (repeated && this.#findRepeats(repeated, level))
  }

  /** A request was refused in a way that another attempt cannot change. */
  refused(now: number, code: string, level: Level): Finding | null {
    const { count, since } = this.#refusals.add(code, now)
    if (count < level.refusals.count * this.#leniency) return null
    const seconds = Math.max(1, Math.round((now - since) / 1000))
    return {
      cause: 'refusals',
      reason: `It sent ${count} requests within ${seconds} seconds although each was refused: ${REFUSALS.get(code) ?? code}.`,
      requests: count,
      costUsd: 0,
    }
  }

  /** The key was paused. Once the user resumes it, the same figures do not pause it again. */
  forgive(): void {
    this.#leniency *= LENIENCY
    this.#recent = new RecentSpend()
    this.#prompts = newPrompts()
    this.#refusals = newRefusals()
  }

  #learn(now: number, cost: NanoUsd): void {
    const minute = Math.floor(now / MINUTE_MS)
    if (minute !== this.#minute) {
      if (this.#minuteSpent > 0) this.habit.observe(this.#minuteSpent)
      this.#minute = minute
      this.#minuteSpent = ZERO_USD
    }
    this.#minuteSpent = addUsd(this.#minuteSpent, cost)
  }

  #findSpend(now: number, { spend }: Level): Finding | null {
    const { spent, requests } = this.#recent.total(now)
    const usd = nanoToUsd(spent)
    // Without a look at the habit in nearly all cases.
    const least = spend.floorUsd * RECENT_MINUTES * this.#leniency
    if (usd < least || requests < spend.minRequests) return null
    const busyUsd = this.habit.busyUsd
    const perMinute = busyUsd === null ? spend.newKeyUsd : Math.max(spend.floorUsd, busyUsd * spend.factor)
    if (usd < perMinute * RECENT_MINUTES * this.#leniency) return null
    const usual =
      busyUsd === null
        ? `That is more than ${formatUsd(spend.newKeyUsd, 2)} a minute, and the guard does not know its habits yet.`
        : `Before, its busiest minutes cost about ${formatUsd(busyUsd)}.`
    return {
      cause: 'spend',
      reason: `It spent ${formatUsd(usd)} with ${requests} requests within ${RECENT_MINUTES} minutes. ${usual}`,
      requests,
      costUsd: usd,
    }
  }

  #findRepeats({ count, cost }: Counted, { repeats }: Level): Finding | null {
    const usd = nanoToUsd(cost)
    if (count < repeats.count * this.#leniency || usd < repeats.usd * this.#leniency) return null
    return {
      cause: 'repeats',
      reason: `It sent the same prompt ${count} times, which cost ${formatUsd(usd)}.`,
      requests: count,
      costUsd: usd,
    }
  }
}

function newPrompts(): RecentCounts<number> {
  return new RecentCounts({ size: PROMPTS, forgetMs: FORGET_PROMPT_MS })
}

function newRefusals(): RecentCounts<string> {
  return new RecentCounts({ size: REFUSAL_KINDS, forgetMs: REFUSALS_MS, fixed: true })
}
