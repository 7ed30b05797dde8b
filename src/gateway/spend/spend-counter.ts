// The common part of the counters of spend.

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
  /** Adds a settled charge, to the period in which its request was made. */
  add(cost: NanoUsd, createdAt: number): void
  /** The parts of the ledger from which it is counted. */
  spansAt(now: number, zone: string): readonly Span[]
  /** Whether it needs the spend of each slot of these parts. */
  readonly bySlot: boolean
  /** `spend`: that of each part. `unknownNano`: what may or may not be in it. */
  setCounted(counted: CountResult): void
}

export interface CountResult {
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
export const END_OF_TIME = Date.UTC(9999, 11, 31)

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

const SPANS = { day: daySpan, week: weekSpan, month: monthSpan }
export type CalendarPeriod = keyof typeof SPANS

/** Past or future periods that are remembered, for a clock that jumps there and back. */
const MAX_REMEMBERED = 8
/**
 * Spend counts too if it is dated so much later than the period: the clock was set back, and must not open the same limit
 * twice. What is dated later still is a mistake of the clock, which must not close limits for years.
 */
const LATER_MS = 31 * 24 * 60 * 60_000
const NEVER: SpendPeriod = { span: { start: 0, end: 0 }, spentNano: ZERO_USD, isExact: false }

/** The spend of the current day, week or month of the user's time zone, even when the wall clock jumps. */
export class CalendarCounter implements SpendCounter {
  readonly filter: SpendFilter
  readonly bySlot = false
  readonly #getSpan: (instant: number, zone: string) => Span
  readonly #context: CounterContext
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
    this.#laterMs = laterMs
    this.#getSpan = SPANS[period]
    this.filter = filter
    this.#context = context
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

  get zone(): string {
    return this.#context.zone()
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
    const now = this.#context.clock.now()
    if (!covers(this.#current.span, now)) this.#current = this.#at(now)
    return this.#current
  }

  /** The period of another moment than those of the current one, which is remembered. */
  #at(now: number): SpendPeriod {
    const before = this.#current
    const span = this.#getSpan(now, this.#context.zone())
    const known = this.#remembered.find((each) => isSame(each.span, span))
    const others = this.#remembered.filter((each) => each !== known && !isSame(each.span, before.span))
    this.#remembered = [...(before.isExact ? [before] : []), ...others].slice(0, MAX_REMEMBERED)
    if (known) return known
    this.#context.requestCount()
    // The upper bound of a later period is all spend dated after what was counted.
    const isLater = span.start >= this.#countedUntil && this.#countedUntil > 0
    const spentNano = isLater ? this.#laterNano : this.#context.everNano()
    return { span, spentNano, isExact: isLater && spentNano === ZERO_USD }
  }
}

function isSame(a: Span, b: Span): boolean {
  return a.start === b.start && a.end === b.end
}

const EVER: readonly Span[] = [{ start: 0, end: END_OF_TIME }]

/** Everything ever spent. */
export class LifetimeCounter implements SpendCounter {
  readonly filter: SpendFilter
  readonly bySlot = false
  readonly resetsAt = null
  readonly changesAt = null
  readonly #context: CounterContext
  /** Null until it is counted. */
  #nano: NanoUsd | null = null

  constructor(filter: SpendFilter, context: CounterContext) {
    this.filter = filter
    this.#context = context
  }

  get zone(): string {
    return this.#context.zone()
  }

  get spentNano(): NanoUsd {
    return this.#nano ?? this.#context.everNano()
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
