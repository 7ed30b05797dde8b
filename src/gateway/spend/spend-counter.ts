// The counters of spend: by periods of the calendar, in all, and over a time that moves with the clock.

import { hasSamplePrices } from '../../shared/api/terms.ts'
import { addUsd, type NanoUsd, nanoUsd, subtractUsd, ZERO_USD } from '../../shared/money/money.ts'
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
  /** Adds a settled charge, to the period in which its request was made. */
  add(cost: NanoUsd, createdAt: number): void
  /** The parts of the ledger from which it is counted. */
  spansAt(now: number, zone: string): readonly Span[]
  /** Whether `everNano` of its context is what it counts, so that nothing is read from the ledger. */
  readonly isKnown: boolean
  /** Whether it needs the spend of each slot of these parts. */
  readonly bySlot: boolean
  /** `spend`: that of each part. `unknownNano`: what may or may not be in it. */
  setCounted(counted: CountResult): void
}

interface CountResult {
  now: number
  zone: string
  spans: readonly Span[]
  spend: readonly (readonly CountedSpend[])[]
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

/** Later than any request, and within the range of every calendar. */
const END_OF_TIME = Date.UTC(9999, 11, 31)

function covers({ start, end }: Span, instant: number): boolean {
  return instant >= start && instant < end
}

function computeSum(spend: readonly CountedSpend[] = []): number {
  return spend.reduce((sum, { nano }) => sum + nano, 0)
}

interface SpendPeriod {
  span: Span
  spentNano: NanoUsd
  /** False while it is only an upper bound. */
  isExact: boolean
}

/** The periods of the calendar: each function returns the one in which an instant is. */
export const SPANS = { day: daySpan, week: weekSpan, month: monthSpan }
export type CalendarPeriod = keyof typeof SPANS

/** Past or future periods that are remembered, for a clock that jumps there and back. */
const MAX_REMEMBERED = 8
/**
 * Spend counts too if it is dated so much later than the period: the clock was set back, and must not open the same limit
 * twice. What is dated later still is a mistake of the clock, which must not close limits for years.
 */
const LATER_MS = 31 * 24 * 60 * 60_000
const NEVER: SpendPeriod = { span: { start: 0, end: 0 }, spentNano: ZERO_USD, isExact: false }

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

/** The spend of the current day, week or month of the user's time zone, even when the wall clock jumps. */
export class CalendarCounter extends FilteredCounter implements SpendCounter {
  readonly bySlot = false
  readonly #getSpan: (instant: number, zone: string) => Span
  readonly #laterMs: number
  #current = NEVER
  /** Periods that were current, with what was spent in them since. */
  #remembered: SpendPeriod[] = []
  /** Spend dated after the last counted period: a clock was ahead. */
  #laterNano: NanoUsd = ZERO_USD
  #countedUntil = 0
  #zone: string | null = null

  /** `laterMs`: 0 for a figure that limits nothing. */
  constructor(period: CalendarPeriod, filter: SpendFilter, context: CounterContext, laterMs = LATER_MS) {
    super(filter, context)
    this.#laterMs = laterMs
    this.#getSpan = SPANS[period]
  }

  get spentNano(): NanoUsd {
    return this.#period().spentNano
  }

  get span(): Span {
    return this.#period().span
  }

  get resetsAt(): number {
    return this.span.end
  }

  get changesAt(): number {
    return this.span.end
  }

  add(cost: NanoUsd, createdAt: number): void {
    for (const period of [this.#period(), ...this.#remembered])
      if (covers(this.#counted(period.span), createdAt)) period.spentNano = addUsd(period.spentNano, cost)
    if (createdAt >= this.#countedUntil) this.#laterNano = addUsd(this.#laterNano, cost)
  }

  spansAt(now: number, zone: string): readonly Span[] {
    const span = this.#getSpan(now, zone)
    return [this.#counted(span), { start: span.end, end: END_OF_TIME }]
  }

  setCounted({ zone, spans, spend: [current, later], unknownNano }: CountResult): void {
    const [counted = NEVER.span, after = NEVER.span] = spans
    const span = { start: counted.start, end: after.start }
    const spentNano = nanoUsd(computeSum(current) + unknownNano)
    this.#current = { span, spentNano, isExact: unknownNano === 0 }
    this.#laterNano = nanoUsd(computeSum(later) + unknownNano)
    this.#countedUntil = span.end
    if (zone !== this.#zone) this.#remembered = []
    this.#zone = zone
  }

  /** When spend is dated that counts in the period. */
  #counted({ start, end }: Span): Span {
    return { start, end: end + this.#laterMs }
  }

  #period(): SpendPeriod {
    const now = this.context.clock.now()
    if (!covers(this.#current.span, now)) this.#current = this.#at(now)
    return this.#current
  }

  /** The period of another moment than those of the current one, which is remembered. */
  #at(now: number): SpendPeriod {
    const before = this.#current
    const span = this.#getSpan(now, this.context.zone())
    const known = this.#remembered.find((each) => isSame(each.span, span))
    const others = this.#remembered.filter((each) => each !== known && !isSame(each.span, before.span))
    this.#remembered = [...(before.isExact ? [before] : []), ...others].slice(0, MAX_REMEMBERED)
    if (known) return known
    this.context.requestCount()
    // The upper bound of a later period is all spend dated after what was counted.
    const isLater = span.start >= this.#countedUntil && this.#countedUntil > 0
    const spentNano = isLater ? this.#laterNano : this.context.everNano()
    return { span, spentNano, isExact: isLater && spentNano === ZERO_USD }
  }
}

function isSame(a: Span, b: Span): boolean {
  return a.start === b.start && a.end === b.end
}

const EVER: readonly Span[] = [{ start: 0, end: END_OF_TIME }]

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

  spansAt(): readonly Span[] {
    return EVER
  }

  setCounted({ spend: [spend], unknownNano }: CountResult): void {
    this.#nano = nanoUsd(computeSum(spend) + unknownNano)
  }
}

// The spend of the last hours or days.

const SLOT_MS = 15 * 60_000
const DAY_MS = 24 * 60 * 60_000

export const ROLLING_MS: Record<CalendarPeriod, number> = {
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 30 * DAY_MS,
}

/** How far the clock may go back before the ledger must be read again. */
const SLACK_MS = DAY_MS

/** The first slot that still counts: spend leaves with its whole slot, up to 15 minutes late and never early. */
export function findFirstSlot(now: number, windowMs: number): number {
  return Math.floor((now - windowMs) / SLOT_MS) * SLOT_MS
}

/**
 * The spend of the last 24 hours, 7 days or 30 days, in slots of 15 minutes as the ledger sums them up. What is dated later
 * than now counts, too: a clock was ahead.
 */
export class RollingCounter extends FilteredCounter implements SpendCounter {
  readonly bySlot = true
  readonly resetsAt = null
  readonly #windowMs: number
  readonly #slots = new Map<number, NanoUsd>()
  /** No slot before it is known. */
  #knownFrom = Infinity
  /** The first slot of the sum. */
  #from = Infinity
  #sumNano: NanoUsd = ZERO_USD

  constructor(period: CalendarPeriod, filter: SpendFilter, context: CounterContext) {
    super(filter, context)
    this.#windowMs = ROLLING_MS[period]
  }

  /** The window begins with a whole slot. */
  get changesAt(): number {
    const now = this.context.clock.now()
    return findFirstSlot(now, this.#windowMs) + SLOT_MS + this.#windowMs
  }

  get spentNano(): NanoUsd {
    const from = findFirstSlot(this.context.clock.now(), this.#windowMs)
    if (from !== this.#from && !this.#move(from)) {
      this.context.requestCount()
      return this.context.everNano()
    }
    return this.#sumNano
  }

  add(cost: NanoUsd, createdAt: number): void {
    const slot = Math.floor(createdAt / SLOT_MS) * SLOT_MS
    if (slot < this.#knownFrom) return
    this.#slots.set(slot, addUsd(this.#slots.get(slot) ?? ZERO_USD, cost))
    if (slot >= this.#from) this.#sumNano = addUsd(this.#sumNano, cost)
  }

  spansAt(now: number): readonly Span[] {
    return [{ start: findFirstSlot(now, this.#windowMs) - SLACK_MS, end: END_OF_TIME }]
  }

  setCounted({ now, spans: [span], spend: [counted = []], unknownNano }: CountResult): void {
    this.#slots.clear()
    for (const { slot, nano } of counted) this.#slots.set(slot, nanoUsd((this.#slots.get(slot) ?? 0) + nano))
    const last = Math.floor(now / SLOT_MS) * SLOT_MS
    if (unknownNano > 0) this.#slots.set(last, nanoUsd((this.#slots.get(last) ?? 0) + unknownNano))
    this.#knownFrom = span?.start ?? Infinity
    this.#from = Infinity
    this.#move(findFirstSlot(now, this.#windowMs))
  }

  /** Moves the beginning of the window. False where slots after it are not known. */
  #move(from: number): boolean {
    if (from < this.#knownFrom) return false
    if (from > this.#from) {
      for (const [slot, nano] of this.#slots) {
        if (slot >= this.#from && slot < from) this.#sumNano = subtractUsd(this.#sumNano, nano)
        if (slot < from - SLACK_MS) this.#slots.delete(slot)
      }
      this.#knownFrom = Math.max(this.#knownFrom, from - SLACK_MS)
    } else {
      let sum = 0
      for (const [slot, nano] of this.#slots) if (slot >= from) sum += nano
      this.#sumNano = nanoUsd(sum)
    }
    this.#from = from
    return true
  }
}
