// Counters of spend: of the current period, in slots of 15 minutes, and of all time.

import { hasSamplePrices } from '../../shared/api/terms.ts'
import { addUsd, type NanoUsd, nanoUsd, ZERO_USD } from '../../shared/money/money.ts'
import { daySpan, monthSpan, type Span, weekSpan } from '../../shared/values/calendar.ts'
import type { MatchesModel } from '../../shared/values/model-pattern.ts'
import type { Clock } from '../platform/clock.ts'

/** The attributes of a charge by which counters select it. */
export interface SpendOf {
  keyId: string
  /** The model that served, as the request log names it. */
  model: string
  provider: string
  tag: string | null
}

/** Which spend counts; null for any. Without a key it is the account's, where sample prices do not count. */
export interface SpendFilter {
  keyId: string | null
  matches: MatchesModel | null
  tag: string | null
}

export function isCounted(filter: SpendFilter, spend: SpendOf): boolean {
  const { keyId, tag } = filter
  if (keyId !== null && keyId !== spend.keyId) return false
  if (tag !== null && tag !== spend.tag) return false
  return isModelCounted(filter, spend.model, spend.provider)
}

export function isModelCounted({ keyId, matches }: SpendFilter, model: string, provider: string): boolean {
  if (keyId === null && hasSamplePrices(provider)) return false
  return matches === null || matches(model, provider)
}

/** Spend that the ledger has, of one 15-minute slot where the counter needs slots. */
interface CountedSpend {
  slot: number
  nano: number
}

/** The spend of a period that moves with the clock. Where it is not known, it is an upper bound. */
export interface SpendCounter {
  readonly filter: SpendFilter
  readonly spentNano: NanoUsd
  /** When the next period begins; null where the old one ends bit by bit, or never. */
  readonly resetsAt: number | null
  /** When it becomes less because time passes; null if it never does. */
  readonly changesAt: number | null
  /** The time zone of its periods. */
  readonly zone: string
  /** Whether `everNano` of its context is what it counts, so that nothing is read from the ledger. */
  readonly isKnown: boolean
  /** Whether it needs the spend of each slot. */
  readonly bySlot: boolean
  /** Adds a settled charge, to the time when its request was made. */
  add(cost: NanoUsd, createdAt: number): void
  /** The time from which it needs the spend of the ledger. */
  startAt(now: number, zone: string): number
  setCounted(counted: CountResult): void
}

interface CountResult {
  now: number
  /** The time from which the ledger was read. */
  from: number
  spend: readonly CountedSpend[]
  /** The amount that may or may not be in it. */
  unknownNano: NanoUsd
}

/** The environment of a counter. */
export interface CounterContext {
  clock: Clock
  zone(): string
  /** Everything ever spent under the filter, or more. */
  everNano(): NanoUsd
  /** Asks for the ledger to be read soon. */
  requestCount(): void
}

/** The common part of the counters. */
class FilteredCounter {
  readonly filter: SpendFilter
  readonly isKnown: boolean = false
  protected readonly context: CounterContext

  constructor(filter: SpendFilter, context: CounterContext) {
    this.filter = filter
    this.context = context
  }

  get zone(): string {
    return this.context.zone()
  }
}

/** Everything ever spent. */
export class LifetimeCounter extends FilteredCounter implements SpendCounter {
  readonly bySlot = false
  readonly resetsAt = null
  readonly changesAt = null
  override readonly isKnown: boolean
  /** Null until it is counted. */
  #nano: NanoUsd | null = null

  constructor(filter: SpendFilter, context: CounterContext) {
    super(filter, context)
    this.isKnown = filter.keyId !== null && filter.matches === null && filter.tag === null
  }

  get spentNano(): NanoUsd {
    return this.#nano ?? this.context.everNano()
  }

  add(cost: NanoUsd): void {
    if (this.#nano !== null) this.#nano = addUsd(this.#nano, cost)
  }

  startAt(): number {
    return 0
  }

  setCounted({ spend, unknownNano }: CountResult): void {
    this.#nano = nanoUsd(spend.reduce<number>((sum, { nano }) => sum + nano, unknownNano))
  }
}

/** The period in which a moment is. */
interface Period {
  /** The moments of which it is the period. */
  span: Span
  /** When spend is dated that counts in it. */
  counted: Span
  /** Null where it ends bit by bit. */
  resetsAt: number | null
  changesAt: number
}

type FindPeriod = (now: number, zone: string) => Period

/** The periods of the calendar: each function returns the one in which an instant is. */
export const SPANS = { day: daySpan, week: weekSpan, month: monthSpan }
export type PeriodName = keyof typeof SPANS

const SLOT_MS = 15 * 60_000
const DAY_MS = 24 * 60 * 60_000

export const ROLLING_MS: Record<PeriodName, number> = {
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 30 * DAY_MS,
}

/**
 * Spend counts too if it is dated so much later than the period: the clock was set back, and must not open the same limit
 * twice. What is dated later still is a mistake of the clock, which must not close limits for years.
 */
const LATER_MS = 31 * DAY_MS

/** The days, weeks or months of the calendar. `laterMs`: 0 for a figure that limits nothing. */
export function findCalendarPeriod(name: PeriodName, laterMs = LATER_MS): FindPeriod {
  return (now, zone) => {
    const span = SPANS[name](now, zone)
    const counted = { start: span.start, end: span.end + laterMs }
    return { span, counted, resetsAt: span.end, changesAt: span.end }
  }
}

/** The last 24 hours, 7 days or 30 days. What is dated later than now counts, too: a clock was ahead. */
export function findRollingPeriod(name: PeriodName): FindPeriod {
  const windowMs = ROLLING_MS[name]
  return (now) => {
    const start = findFirstSlot(now, windowMs)
    const span = { start: start + windowMs, end: start + windowMs + SLOT_MS }
    return { span, counted: { start, end: Infinity }, resetsAt: null, changesAt: span.end }
  }
}

/** The first slot that still counts: spend leaves with its whole slot, up to 15 minutes late and never early. */
function findFirstSlot(now: number, windowMs: number): number {
  return Math.floor((now - windowMs) / SLOT_MS) * SLOT_MS
}

/** How far the clock may go back before the ledger must be read again. */
const SLACK_MS = DAY_MS
/** More than half a year of slots. */
const MAX_SLOTS = 20_000
const NONE: Span = { start: 0, end: 0 }

/**
 * The spend of the current period, even when the wall clock jumps, in slots of 15 minutes as the ledger sums them up. Days, weeks and
 * months begin with a slot in every time zone.
 */
export class PeriodCounter extends FilteredCounter implements SpendCounter {
  readonly bySlot = true
  readonly #find: FindPeriod
  readonly #slots = new Map<number, NanoUsd>()
  /** No slot before it is known. */
  #knownFrom = Infinity
  #current: Period = { span: NONE, counted: NONE, resetsAt: null, changesAt: 0 }
  #sumNano: NanoUsd = ZERO_USD

  constructor(find: FindPeriod, filter: SpendFilter, context: CounterContext) {
    super(filter, context)
    this.#find = find
  }

  get span(): Span {
    return this.#period().span
  }

  get resetsAt(): number | null {
    return this.#period().resetsAt
  }

  get changesAt(): number {
    return this.#period().changesAt
  }

  get spentNano(): NanoUsd {
    if (this.#period().counted.start >= this.#knownFrom) return this.#sumNano
    this.context.requestCount()
    return this.context.everNano()
  }

  add(cost: NanoUsd, createdAt: number): void {
    const slot = Math.floor(createdAt / SLOT_MS) * SLOT_MS
    const { counted } = this.#period()
    this.#slots.set(slot, addUsd(this.#slots.get(slot) ?? ZERO_USD, cost))
    if (covers(counted, slot)) this.#sumNano = addUsd(this.#sumNano, cost)
    if (this.#slots.size > MAX_SLOTS) this.#forgetOldest()
  }

  startAt(now: number, zone: string): number {
    return this.#find(now, zone).counted.start - SLACK_MS
  }

  setCounted({ now, from, spend, unknownNano }: CountResult): void {
    this.#slots.clear()
    for (const { slot, nano } of [...spend, { slot: Math.floor(now / SLOT_MS) * SLOT_MS, nano: unknownNano }])
      this.#slots.set(slot, addUsd(this.#slots.get(slot) ?? ZERO_USD, nanoUsd(nano)))
    this.#knownFrom = from
    this.#enter(now)
  }

  #period(): Period {
    const now = this.context.clock.now()
    return covers(this.#current.span, now) ? this.#current : this.#enter(now)
  }

  #enter(now: number): Period {
    this.#current = this.#find(now, this.context.zone())
    let sum = 0
    for (const [slot, nano] of this.#slots) if (covers(this.#current.counted, slot)) sum += nano
    this.#sumNano = nanoUsd(sum)
    return this.#current
  }

  #forgetOldest(): void {
    const slots = [...this.#slots.keys()].sort((a, b) => a - b)
    const last = slots[MAX_SLOTS / 2] ?? 0
    for (const slot of slots) if (slot < last) this.#slots.delete(slot)
    this.#knownFrom = Math.max(this.#knownFrom, last)
  }
}

function covers({ start, end }: Span, instant: number): boolean {
  return instant >= start && instant < end
}
