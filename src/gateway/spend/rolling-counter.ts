import { addUsd, type NanoUsd, nanoUsd, subtractUsd, ZERO_USD } from '../../shared/money/money.ts'
import type { Span } from '../../shared/values/calendar.ts'
import {
  type CalendarPeriod,
  type CounterContext,
  type CountResult,
  END_OF_TIME,
  type SpendCounter,
  type SpendFilter,
} from './spend-counter.ts'

const SLOT_MS = 15 * 60_000
const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * HOUR_MS

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
export class RollingCounter implements SpendCounter {
  readonly filter: SpendFilter
  readonly bySlot = true
  readonly resetsAt = null
  readonly #windowMs: number
  readonly #context: CounterContext
  readonly #slots = new Map<number, NanoUsd>()
  /** No slot before it is known. */
  #knownFrom = Infinity
  /** The first slot of the sum. */
  #from = Infinity
  #sumNano: NanoUsd = ZERO_USD

  constructor(period: CalendarPeriod, filter: SpendFilter, context: CounterContext) {
    this.#windowMs = ROLLING_MS[period]
    this.filter = filter
    this.#context = context
  }

  get zone(): string {
    return this.#context.zone()
  }

  /** The window begins with a whole slot. */
  get changesAt(): number {
    const now = this.#context.clock.now()
    return findFirstSlot(now, this.#windowMs) + SLOT_MS + this.#windowMs
  }

  get spentNano(): NanoUsd {
    const from = findFirstSlot(this.#context.clock.now(), this.#windowMs)
    if (from !== this.#from && !this.#move(from)) {
      this.#context.requestCount()
      return this.#context.everNano()
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
