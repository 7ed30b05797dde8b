// Owns what was spent in the current month and day, whichever way the wall clock goes. What it does not know it takes
// for the most it can be, and counts from the ledger: a limit is never passed because a clock was wrong.
import { setTimeout as delay } from 'node:timers/promises'
import { dayOf, monthOf, type Span } from '../../shared/calendar.ts'
import { addUsd, type NanoUsd, nanoUsd, ZERO_USD } from '../../shared/money.ts'
import type { Clock } from '../platform/clock.ts'
import { SerialQueue } from '../platform/serial-queue.ts'
import type { Store } from '../store/store.ts'

export interface SpendPeriod {
  span: Span
  spentNano: NanoUsd
  /** False while it is only the most that it can be. */
  isExact: boolean
}

type SpanOf = (instant: number, zone: string) => Span

/** A ledger and a memory that do not agree are asked again so often: charges are on their way between them. */
const COUNTS = 20
const COUNT_AGAIN_MS = 25
const RETRY_MS = 1_000
/** How many past or future periods are remembered for a clock that goes there and back. */
const REMEMBERED = 8
/** Later than any request, and a date that every calendar knows. */
const END_OF_TIME = Date.UTC(9999, 11, 31)

export class SpendPeriods {
  readonly #store: Store
  readonly #clock: Clock
  /** Called when a count in the background has changed what is known. */
  readonly #counted: () => void
  #zone = 'UTC'
  /** Everything ever spent. */
  #totalNano: NanoUsd
  /** What belongs to times after the month that was counted last: a clock was ahead. */
  #laterNano: NanoUsd = ZERO_USD
  #countedUntil = 0
  #month: SpendPeriod = { span: { start: 0, end: 0 }, spentNano: ZERO_USD, isExact: false }
  #day: SpendPeriod = { span: { start: 0, end: 0 }, spentNano: ZERO_USD, isExact: false }
  /** Periods that were current, with what was spent in them since. */
  #remembered: SpendPeriod[] = []
  #wantedZone = 'UTC'
  readonly #counts = new SerialQueue()
  #countingSoon = false
  #closed = false

  constructor(store: Store, clock: Clock, totalNano: NanoUsd, counted: () => void) {
    this.#store = store
    this.#clock = clock
    this.#totalNano = totalNano
    this.#counted = counted
  }

  get zone(): string {
    return this.#zone
  }

  get totalNano(): NanoUsd {
    return this.#totalNano
  }

  get month(): SpendPeriod {
    this.#month = this.#current(this.#month, monthOf, (span) => {
      // What is spent later than all that was counted is the most that a later month can hold.
      const isLater = span.start >= this.#countedUntil
      const spentNano = isLater ? this.#laterNano : this.#totalNano
      return { span, spentNano, isExact: isLater && spentNano === ZERO_USD }
    })
    return this.#month
  }

  get day(): SpendPeriod {
    // It is only shown: no limit hangs on it, so it may be less for the moment until it is counted.
    this.#day = this.#current(this.#day, dayOf, (span) => ({ span, spentNano: ZERO_USD, isExact: false }))
    return this.#day
  }

  /** Adds a settled charge to all spend, and to the periods in which its request was made. */
  charge(cost: NanoUsd, createdAt: number): void {
    const periods = [this.month, this.day, ...this.#remembered]
    this.#totalNano = addUsd(this.#totalNano, cost)
    for (const period of periods) {
      if (covers(period.span, createdAt)) period.spentNano = addUsd(period.spentNano, cost)
    }
    if (createdAt >= this.#countedUntil) this.#laterNano = addUsd(this.#laterNano, cost)
  }

  /**
   * Has the ledger sum up the zone's days, and reads the current periods from it. When that fails it throws, and goes
   * on trying in the background.
   */
  async recount(zone: string): Promise<void> {
    this.#wantedZone = zone
    try {
      await this.#counts.run(() => this.#count(zone))
    } catch (error) {
      this.#countSoon(RETRY_MS)
      throw error
    }
  }

  /** Ends the counting in the background. */
  close(): void {
    this.#closed = true
  }

  #current(period: SpendPeriod, spanOf: SpanOf, uncounted: (span: Span) => SpendPeriod): SpendPeriod {
    const now = this.#clock.now()
    if (covers(period.span, now)) return period
    const span = spanOf(now, this.#zone)
    const known = this.#remembered.find((each) => isSame(each.span, span))
    const others = this.#remembered.filter((each) => each !== known && !isSame(each.span, period.span))
    this.#remembered = [...(period.isExact ? [period] : []), ...others].slice(0, REMEMBERED)
    if (known) return known
    this.#countSoon(0)
    return uncounted(span)
  }

  async #count(zone: string): Promise<void> {
    await this.#store.write('setRollupTimeZone', zone)
    for (let turn = 1; ; turn++) {
      const now = this.#clock.now()
      const month = monthOf(now, zone)
      const day = dayOf(now, zone)
      const later = { start: month.end, end: END_OF_TIME }
      const { accountNano, spentNano } = await this.#store.read('spendIn', [month, day, later])
      // Where both know the same total, both know the same charges. Otherwise some are told but not written yet, or
      // written and not told yet, and adding them later could count one twice.
      const unknownNano = nanoUsd(Math.abs(accountNano - this.#totalNano))
      if (unknownNano > 0 && turn < COUNTS) {
        await delay(COUNT_AGAIN_MS)
        continue
      }
      const [monthNano = ZERO_USD, dayNano = ZERO_USD, laterNano = ZERO_USD] = spentNano
      const isExact = unknownNano === 0
      this.#month = { span: month, spentNano: addUsd(monthNano, unknownNano), isExact }
      this.#day = { span: day, spentNano: addUsd(dayNano, unknownNano), isExact }
      this.#laterNano = addUsd(laterNano, unknownNano)
      this.#countedUntil = month.end
      if (zone !== this.#zone) this.#remembered = []
      this.#zone = zone
      if (!isExact) this.#countSoon(RETRY_MS)
      return
    }
  }

  #countSoon(ms: number): void {
    if (this.#countingSoon || this.#closed) return
    this.#countingSoon = true
    void this.#countAfter(ms)
  }

  async #countAfter(ms: number): Promise<void> {
    if (ms > 0) await delay(ms, undefined, { ref: false })
    this.#countingSoon = false
    if (this.#closed) return
    try {
      await this.#counts.run(() => this.#count(this.#wantedZone))
      this.#counted()
    } catch {
      // What is not known stays at the most it can be, and is counted again.
      this.#countSoon(RETRY_MS)
    }
  }
}

function covers({ start, end }: Span, instant: number): boolean {
  return instant >= start && instant < end
}

function isSame(a: Span, b: Span): boolean {
  return a.start === b.start && a.end === b.end
}
