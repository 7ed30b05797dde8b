import { setTimeout as delay } from 'node:timers/promises'
import { daySpan, monthSpan, type Span } from '../../shared/calendar.ts'
import { addUsd, type NanoUsd, nanoUsd, ZERO_USD } from '../../shared/money.ts'
import type { Clock } from '../platform/clock.ts'
import { SerialQueue } from '../platform/serial-queue.ts'
import type { Store } from '../store/store.ts'

export interface SpendPeriod {
  span: Span
  spentNano: NanoUsd
  /** False while it is only an upper bound. */
  isExact: boolean
}

type SpanOf = (instant: number, zone: string) => Span

/** Reads until ledger and memory agree: a charge may be in one of them only for a moment. */
const MAX_READS = 20
const READ_INTERVAL_MS = 25
const RETRY_MS = 1_000
/** Past or future periods that are remembered, for a clock that jumps there and back. */
const MAX_REMEMBERED = 8
/** Later than any request, and within the range of every calendar. */
const END_OF_TIME = Date.UTC(9999, 11, 31)

/**
 * The spend of the current month and day, even when the wall clock jumps. Where it is not known, an upper bound counts
 * until it has been read from the ledger: a wrong clock never makes a limit ineffective.
 */
export class SpendPeriods {
  readonly #store: Store
  readonly #clock: Clock
  /** Called when a background recount has changed the figures. */
  readonly #onRecount: () => void
  #zone = 'UTC'
  /** Everything ever spent. */
  #totalNano: NanoUsd
  /** Spend dated after the last counted month: a clock was ahead. */
  #laterNano: NanoUsd = ZERO_USD
  #countedUntil = 0
  #month: SpendPeriod = { span: { start: 0, end: 0 }, spentNano: ZERO_USD, isExact: false }
  #day: SpendPeriod = { span: { start: 0, end: 0 }, spentNano: ZERO_USD, isExact: false }
  /** Periods that were current, with what was spent in them since. */
  #remembered: SpendPeriod[] = []
  #requestedZone = 'UTC'
  readonly #counts = new SerialQueue()
  #recountScheduled = false
  #closed = false

  constructor(store: Store, clock: Clock, totalNano: NanoUsd, onRecount: () => void) {
    this.#store = store
    this.#clock = clock
    this.#totalNano = totalNano
    this.#onRecount = onRecount
  }

  get zone(): string {
    return this.#zone
  }

  get totalNano(): NanoUsd {
    return this.#totalNano
  }

  get month(): SpendPeriod {
    const now = this.#clock.now()
    if (!covers(this.#month.span, now)) {
      this.#month = this.#at(now, this.#month, monthSpan, (span) => {
        // The upper bound for a later month is all spend dated after what was counted.
        const isLater = span.start >= this.#countedUntil
        const spentNano = isLater ? this.#laterNano : this.#totalNano
        return { span, spentNano, isExact: isLater && spentNano === ZERO_USD }
      })
    }
    return this.#month
  }

  get day(): SpendPeriod {
    const now = this.#clock.now()
    if (!covers(this.#day.span, now)) {
      // It is only displayed, no limit depends on it: it may be too low until it is counted.
      this.#day = this.#at(now, this.#day, daySpan, (span) => ({ span, spentNano: ZERO_USD, isExact: false }))
    }
    return this.#day
  }

  /** Adds a settled charge to all spend, and to the periods in which its request was made. */
  charge(cost: NanoUsd, createdAt: number): void {
    const { month, day } = this
    this.#totalNano = addUsd(this.#totalNano, cost)
    addTo(month, cost, createdAt)
    addTo(day, cost, createdAt)
    for (const period of this.#remembered) addTo(period, cost, createdAt)
    if (createdAt >= this.#countedUntil) this.#laterNano = addUsd(this.#laterNano, cost)
  }

  /**
   * Sets the zone of the daily rollups, and reads the current periods from the ledger. Throws when that fails, and keeps
   * retrying in the background.
   */
  async recount(zone: string): Promise<void> {
    this.#requestedZone = zone
    try {
      await this.#counts.run(() => this.#count(zone))
    } catch (error) {
      this.#scheduleRecount(RETRY_MS)
      throw error
    }
  }

  /** Stops recounting in the background. */
  close(): void {
    this.#closed = true
  }

  /** The period of another moment than those of `period`, which is remembered. */
  #at(now: number, period: SpendPeriod, spanOf: SpanOf, uncounted: (span: Span) => SpendPeriod): SpendPeriod {
    const span = spanOf(now, this.#zone)
    const known = this.#remembered.find((each) => isSame(each.span, span))
    const others = this.#remembered.filter((each) => each !== known && !isSame(each.span, period.span))
    this.#remembered = [...(period.isExact ? [period] : []), ...others].slice(0, MAX_REMEMBERED)
    if (known) return known
    this.#scheduleRecount(0)
    return uncounted(span)
  }

  async #count(zone: string): Promise<void> {
    await this.#store.write('setRollupTimeZone', zone)
    for (let attempt = 1; ; attempt++) {
      const now = this.#clock.now()
      const month = monthSpan(now, zone)
      const day = daySpan(now, zone)
      const later = { start: month.end, end: END_OF_TIME }
      const { accountNano, spentNano } = await this.#store.read('spendIn', [month, day, later])
      // With equal totals, ledger and memory have the same charges. Otherwise some charges are only in one of them yet,
      // and adding them later could count one twice.
      const unknownNano = nanoUsd(Math.abs(accountNano - this.#totalNano))
      if (unknownNano > 0 && attempt < MAX_READS) {
        await delay(READ_INTERVAL_MS)
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
      if (!isExact) this.#scheduleRecount(RETRY_MS)
      return
    }
  }

  #scheduleRecount(ms: number): void {
    if (this.#recountScheduled || this.#closed) return
    this.#recountScheduled = true
    void this.#recountAfter(ms)
  }

  async #recountAfter(ms: number): Promise<void> {
    if (ms > 0) await delay(ms, undefined, { ref: false })
    this.#recountScheduled = false
    if (this.#closed) return
    try {
      await this.#counts.run(() => this.#count(this.#requestedZone))
      this.#onRecount()
    } catch {
      // The upper bound stays in effect until a recount succeeds.
      this.#scheduleRecount(RETRY_MS)
    }
  }
}

function covers({ start, end }: Span, instant: number): boolean {
  return instant >= start && instant < end
}

function addTo(period: SpendPeriod, cost: NanoUsd, createdAt: number): void {
  if (covers(period.span, createdAt)) period.spentNano = addUsd(period.spentNano, cost)
}

function isSame(a: Span, b: Span): boolean {
  return a.start === b.start && a.end === b.end
}
