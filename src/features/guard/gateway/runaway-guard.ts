import { hash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { Feature } from '../../../gateway/http/calls.ts'
import type { KeyState } from '../../../gateway/keys/key-state.ts'
import type { GatewayError } from '../../../gateway/platform/errors.ts'
import type { FinalOutcome } from '../../../gateway/request/ledger.ts'
import type { Arrival, RequestHook, Run } from '../../../gateway/request/run.ts'
import type { CommonServices } from '../../../gateway/settings/settings.ts'
import type { GuardAlert, GuardSensitivity } from '../../../shared/api/account.ts'
import type { ChatRequest } from '../../../shared/formats/chat.ts'
import { formatUsd } from '../../../shared/money/format-usd.ts'
import { addUsd, type NanoUsd, nanoToUsd, ZERO_USD } from '../../../shared/money/money.ts'
import { SpendHabit, type StoredHabit } from './spend-habit.ts'

const SETTING = 'spendHabits'
const SAVE_MS = 10 * 60_000
/** Refusals that waiting or another attempt does not change. */
const FINAL_STATUSES: ReadonlySet<number> = new Set([402, 403])
const PAUSED_CODES: ReadonlySet<string | undefined> = new Set(['paused', 'key_paused'])

const StoredHabits = z.record(z.string(), z.array(z.tuple([z.int(), z.number()])))

interface RunawayGuardDeps extends CommonServices {
  /** Pauses the key; what runs may finish. */
  pause(key: KeyState, reason: string): Promise<unknown>
}

/** Pauses keys whose requests look like a loop that runs away. A request costs it the same time and memory however many came. */
class RunawayGuard implements RequestHook {
  readonly #deps: RunawayGuardDeps
  readonly #watches = new Map<string, KeyWatch>()
  /** The habits of keys that were not used since the start. */
  readonly #stored: Map<string, StoredHabit>
  #savedAt: number

  constructor(deps: RunawayGuardDeps) {
    this.#deps = deps
    this.#savedAt = deps.clock.monotonic()
    const stored = StoredHabits.safeParse(deps.settings.stored(SETTING))
    this.#stored = new Map(Object.entries(stored.data ?? {}))
  }

  after({ call: { key, request } }: Run, { charge: { costNano: cost } }: FinalOutcome): void {
    const { enabled, sensitivity } = this.#deps.settings.value.guard
    if (!enabled || key.guard === 'off' || cost === null || cost <= 0) return
    const now = this.#deps.clock.monotonic()
    const fingerprint = key.guard === 'allow-repeats' ? null : computeFingerprint(request)
    const watch = this.#getWatch(key)
    this.#act(key, watch, watch.charged(now, cost, fingerprint, levels[sensitivity]))
    if (now - this.#savedAt >= SAVE_MS) void this.save()
  }

  refused({ call: { key } }: Arrival, { status, body: { code, type } }: GatewayError): void {
    const { enabled, sensitivity } = this.#deps.settings.value.guard
    if (!enabled || key.guard === 'off' || !FINAL_STATUSES.has(status) || PAUSED_CODES.has(code)) return
    const now = this.#deps.clock.monotonic()
    const watch = this.#getWatch(key)
    this.#act(key, watch, watch.refused(now, code ?? type, levels[sensitivity]))
  }

  /** Stores the habits, so that a restart does not make every key new. */
  async save(): Promise<void> {
    this.#savedAt = this.#deps.clock.monotonic()
    if (this.#watches.size === 0) return
    const learned = [...this.#watches].map(([id, { habit }]) => [id, habit.toStored()] as const)
    const value = Object.fromEntries([...this.#stored, ...learned])
    await this.#deps.store
      .write('putSettings', [{ name: SETTING, value }])
      .catch((err: unknown) => this.#deps.log.warn('The habits of keys could not be stored', { err }))
  }

  #getWatch({ id }: KeyState): KeyWatch {
    let watch = this.#watches.get(id)
    if (!watch) {
      watch = new KeyWatch(this.#stored.get(id))
      this.#watches.set(id, watch)
    }
    return watch
  }

  #act(key: KeyState, watch: KeyWatch, finding: Finding | null): void {
    if (!finding || key.pausedAt !== null || key.revokedAt !== null) return
    const { events, log, pause } = this.#deps
    watch.forgive()
    log.warn(`The runaway guard paused the key "${key.name}". ${finding.reason}`)
    // The pause takes effect in memory immediately; the write is repeated until it succeeds.
    pause(key, finding.reason).catch((err: unknown) => log.error('A pause could not be stored yet', { err }))
    events.publish('guard-alert', () => ({
      type: 'guard-alert',
      alert: { keyId: key.id, name: key.name, ...finding },
    }))
  }
}

// The known facts about the requests of one key, and whether they look like a runaway loop.

const MINUTE_MS = 60_000

interface Memory {
  /** How many kinds are remembered. */
  size: number
  /** The time after which a kind that has not recurred is counted from zero; with `fixed`, after which any kind is. */
  forgetMs: number
  fixed?: true
}

/** A prompt that comes once an hour is no loop. */
const PROMPTS: Memory = { size: 16, forgetMs: 10 * MINUTE_MS }
const REFUSED: Memory = { size: 4, forgetMs: 5 * MINUTE_MS, fixed: true }

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
  #prompts = new RecentCounts<number>(PROMPTS)
  #refusals = new RecentCounts<string>(REFUSED)
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
    this.#prompts = new RecentCounts(PROMPTS)
    this.#refusals = new RecentCounts(REFUSED)
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

  #findRepeats({ count, cost }: CountedUse, { repeats }: Level): Finding | null {
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

interface CountedUse {
  count: number
  cost: NanoUsd
  /** Monotonic milliseconds. */
  since: number
  lastAt: number
}

/** Counts what comes again, of the few kinds that came last. */
class RecentCounts<Kind extends string | number> {
  readonly #memory: Memory
  /** The one that came last is the last. */
  readonly #kinds = new Map<Kind, CountedUse>()

  constructor(memory: Memory) {
    this.#memory = memory
  }

  add(kind: Kind, now: number, cost: NanoUsd = ZERO_USD): CountedUse {
    const { size, forgetMs, fixed } = this.#memory
    const lastUse = this.#kinds.get(kind)
    const isOld = lastUse && now - (fixed ? lastUse.since : lastUse.lastAt) > forgetMs
    const recentUse = lastUse && !isOld ? lastUse : { count: 0, cost: ZERO_USD, since: now, lastAt: now }
    const counted = {
      ...recentUse,
      count: recentUse.count + 1,
      cost: addUsd(recentUse.cost, cost),
      lastAt: now,
    }
    this.#kinds.delete(kind)
    this.#kinds.set(kind, counted)
    const [first] = this.#kinds.keys()
    if (first !== undefined && this.#kinds.size > size) this.#kinds.delete(first)
    return counted
  }
}

const SLOTS = 12
const SLOT_MS = 10_000
/** The minutes that the sums cover. */
const RECENT_MINUTES = (SLOTS * SLOT_MS) / 60_000

interface Slot {
  /** The number of its 10 seconds since the clock's start. */
  number: number
  spent: NanoUsd
  requests: number
}

/** The spend and the requests of the last two minutes. */
class RecentSpend {
  readonly #slots: Slot[] = Array.from({ length: SLOTS }, () => ({
    number: -1,
    spent: ZERO_USD,
    requests: 0,
  }))

  /** `now`: monotonic milliseconds. */
  add(now: number, cost: NanoUsd): void {
    const number = Math.floor(now / SLOT_MS)
    const slot = this.#slots[number % SLOTS]
    if (!slot) return
    if (slot.number !== number) Object.assign(slot, { number, spent: ZERO_USD, requests: 0 })
    slot.spent = addUsd(slot.spent, cost)
    slot.requests += 1
  }

  total(now: number): { spent: NanoUsd; requests: number } {
    const oldest = Math.floor(now / SLOT_MS) - SLOTS
    let spent = ZERO_USD
    let requests = 0
    for (const slot of this.#slots) {
      if (slot.number <= oldest) continue
      spent = addUsd(spent, slot.spent)
      requests += slot.requests
    }
    return { spent, requests }
  }
}

/** Known only to this process, so that a fingerprint says nothing about its prompt. */
const KEY = randomBytes(32).toString('base64')
/** The hexadecimal digits of the hash that are compared: as many as a number can hold. */
const DIGITS = 12
const LAST_MESSAGES = 4
/** The length of the parts of a long text that are hashed: its beginning and its end. */
const SAMPLE = 256
/** How deep the parts of a message are followed. */
const MAX_DEPTH = 6
/** The members of a message that are read. */
const MAX_VALUES = 200
/** Differs each time although the message is the same. */
const IDS: ReadonlySet<string> = new Set(['id', 'tool_call_id', 'cache_control'])

/**
 * The same number for requests with the same model, number of messages, first message and last four messages. The work
 * does not grow with the request.
 */
export function computeFingerprint({ model, messages }: ChatRequest): number {
  // Hashed in one call: each call of a hash takes longer than all of this.
  let text = `${KEY}${model}\0${messages.length}\0`
  let left = MAX_VALUES
  const visit = (value: unknown, depth: number): void => {
    if (left-- <= 0 || depth > MAX_DEPTH) return
    if (typeof value === 'string') {
      text += `${value.length}:`
      text += value.length <= 2 * SAMPLE ? value : value.slice(0, SAMPLE) + value.slice(-SAMPLE)
    } else if (typeof value !== 'object' || value === null) text += `${String(value)};`
    else {
      for (const name in value) {
        if (left <= 0) return
        if (IDS.has(name)) continue
        text += `${name}=`
        visit(Reflect.get(value, name), depth + 1)
      }
    }
  }
  visit(messages[0], 0)
  for (let at = Math.max(1, messages.length - LAST_MESSAGES); at < messages.length; at++)
    visit(messages[at], 0)
  return Number.parseInt(hash('sha256', text, 'hex').slice(0, DIGITS), 16)
}

/** The figures from which on a key is paused. Amounts are in USD. */
export interface Level {
  spend: {
    /** A minute, however small the habit. */
    floorUsd: number
    /** A minute, of a key without a habit yet. */
    newKeyUsd: number
    /** How often the habit. */
    factor: number
    /** A few large requests are no loop. */
    minRequests: number
  }
  /** Both have to be reached. */
  repeats: { count: number; usd: number }
  refusals: { count: number }
}

export const levels: Readonly<Record<GuardSensitivity, Level>> = {
  low: {
    spend: { floorUsd: 20, newKeyUsd: 30, factor: 15, minRequests: 30 },
    repeats: { count: 100, usd: 10 },
    refusals: { count: 1000 },
  },
  // An honest agent with 100 requests and $3 a minute stays far below.
  standard: {
    spend: { floorUsd: 5, newKeyUsd: 8, factor: 8, minRequests: 20 },
    repeats: { count: 30, usd: 2 },
    refusals: { count: 300 },
  },
  high: {
    spend: { floorUsd: 1.5, newKeyUsd: 3, factor: 4, minRequests: 10 },
    repeats: { count: 12, usd: 0.5 },
    refusals: { count: 100 },
  },
}

export function createGuard(deps: RunawayGuardDeps): Feature {
  const guard = new RunawayGuard(deps)
  return { hooks: [guard], close: () => guard.save() }
}
