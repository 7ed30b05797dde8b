import { addUsd, type NanoUsd, nanoUsd } from '../../shared/money/money.ts'
import { type Clock, getTimers } from '../platform/clock.ts'
import { SerialQueue } from '../platform/wait.ts'
import type { SpendPart, SpendSum, Store } from '../store/store.ts'
import {
  type CounterContext,
  findCalendarPeriod,
  isCounted,
  LifetimeCounter,
  PeriodCounter,
  type SpendCounter,
  type SpendFilter,
  type SpendOf,
} from './spend-counter.ts'

/** Reads until ledger and memory agree: a charge may be in one of them only for a moment. */
const MAX_READS = 20
const READ_INTERVAL_MS = 25
const RETRY_MS = 1_000

const ALL: SpendFilter = { keyId: null, matches: null, tag: null }

/**
 * Counts spend by period. At start, and when the clock jumps or the time zone changes, it is read from the ledger. Until
 * then an upper bound counts: a wrong clock never makes a limit ineffective.
 */
export class SpendTracker {
  readonly #store: Store
  readonly #clock: Clock
  /** Called when a background recount has changed the figures. */
  readonly #onRecount: () => void
  #zone = 'UTC'
  #requestedZone = 'UTC'
  /** Everything ever charged, samples too: by this sum, ledger and memory are compared. */
  #totalNano: NanoUsd
  readonly month: PeriodCounter
  readonly day: PeriodCounter
  readonly lifetime: LifetimeCounter
  /** Besides these three. */
  #others = new Set<SpendCounter>()
  readonly #counts = new SerialQueue()
  #recountScheduled = false
  #closed = false

  constructor(store: Store, clock: Clock, totalNano: NanoUsd, onRecount: () => void) {
    this.#store = store
    this.#clock = clock
    this.#totalNano = totalNano
    this.#onRecount = onRecount
    const context = this.createContext(() => this.#totalNano)
    this.month = new PeriodCounter(findCalendarPeriod('month'), ALL, context)
    this.day = new PeriodCounter(findCalendarPeriod('day', 0), ALL, context)
    this.lifetime = new LifetimeCounter(ALL, context)
  }

  get zone(): string {
    return this.#zone
  }

  get totalNano(): NanoUsd {
    return this.#totalNano
  }

  /** Milliseconds until a moment, by the wall clock; Infinity for none. */
  msTo(moment: number | null): number {
    return moment === null ? Infinity : Math.max(0, moment - this.#clock.now())
  }

  /** Creates the context of a counter whose spend is at most `everNano`. */
  createContext(everNano: () => NanoUsd): CounterContext {
    return {
      clock: this.#clock,
      zone: () => this.#zone,
      everNano,
      requestCount: () => this.#scheduleRecount(0),
    }
  }

  /** Adds a settled charge to all spend, and to the periods in which its request was made. */
  charge(cost: NanoUsd, createdAt: number, of: SpendOf): void {
    this.#totalNano = addUsd(this.#totalNano, cost)
    for (const counter of this.#all()) if (isCounted(counter.filter, of)) counter.add(cost, createdAt)
  }

  #all(): SpendCounter[] {
    return [this.month, this.day, this.lifetime, ...this.#others]
  }

  /** Counts these from now on, from the ledger and with every charge. They are upper bounds if it cannot be read. */
  async start(counters: readonly SpendCounter[]): Promise<void> {
    if (counters.length === 0) return
    for (const counter of counters) this.#others.add(counter)
    await this.recount(this.#requestedZone).catch(() => undefined)
  }

  stop(counters: readonly SpendCounter[]): void {
    for (const counter of counters) this.#others.delete(counter)
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

  async #count(zone: string): Promise<void> {
    await this.#store.write('setRollupTimeZone', zone)
    const read = async () => {
      const now = this.#clock.now()
      const counted = this.#all().map((counter) => {
        const part = createPart(counter, counter.startAt(now, zone))
        return { counter, part, name: JSON.stringify(part) }
      })
      // Each part is read once.
      const parts = new Map(counted.map(({ name, part }) => [name, part]))
      const { accountNano, sums } = await this.#store.read('spendIn', [...parts.values()])
      const byName = new Map([...parts.keys()].map((name, index) => [name, sums[index] ?? []]))
      return { now, counted, accountNano, byName }
    }
    const unknownNano = await this.#readSettled(read, ({ now, counted, byName }, unknownNano) => {
      this.#zone = zone
      for (const { counter, part, name } of counted) {
        const spend = filterSums(byName.get(name) ?? [], counter.filter)
        counter.setCounted({ now, from: part.from, spend, unknownNano })
      }
    })
    if (unknownNano > 0) this.#scheduleRecount(RETRY_MS)
  }

  /**
   * Applies what `read` finds in the ledger, before another charge is added. `unknownNano` may or may not be in it; unless that is
   * zero, it is read and applied again later, until it is.
   */
  async readExactly<T extends { accountNano: number }>(
    read: () => Promise<T>,
    apply: (found: T, unknownNano: NanoUsd) => void,
  ): Promise<void> {
    if ((await this.#readSettled(read, apply)) > 0) void this.#readLater(read, apply)
  }

  async #readLater<T extends { accountNano: number }>(
    read: () => Promise<T>,
    apply: (found: T, unknownNano: NanoUsd) => void,
  ): Promise<void> {
    do {
      await getTimers(this.#clock).delay(RETRY_MS, { ref: false })
      if (this.#closed) return
    } while ((await this.#readSettled(read, apply).catch(() => Infinity)) > 0)
    this.#onRecount()
  }

  /**
   * Reads until ledger and memory have the same charges, which they have with equal totals. Otherwise some are only in one of
   * them yet, and adding them later could count one twice: their sum is unknown. Resolves to it.
   */
  async #readSettled<T extends { accountNano: number }>(
    read: () => Promise<T>,
    apply: (found: T, unknownNano: NanoUsd) => void,
  ): Promise<NanoUsd> {
    for (let attempt = 1; ; attempt++) {
      const found = await read()
      const unknownNano = nanoUsd(Math.abs(found.accountNano - this.#totalNano))
      if (unknownNano === 0 || attempt === MAX_READS) {
        apply(found, unknownNano)
        return unknownNano
      }
      await getTimers(this.#clock).delay(READ_INTERVAL_MS)
    }
  }

  #scheduleRecount(ms: number): void {
    if (this.#recountScheduled || this.#closed) return
    this.#recountScheduled = true
    void this.#recountAfter(ms)
  }

  async #recountAfter(ms: number): Promise<void> {
    if (ms > 0) await getTimers(this.#clock).delay(ms, { ref: false })
    this.#recountScheduled = false
    // The upper bound stays in effect until a recount succeeds.
    if (!this.#closed) await this.recount(this.#requestedZone).then(this.#onRecount, () => undefined)
  }
}

function createPart({ filter, bySlot }: SpendCounter, from: number): SpendPart {
  const isGrouped = filter.keyId !== null || filter.matches !== null
  return { from, bySlot, isGrouped, tag: filter.tag }
}

/** The sums that count. A part was read with its tag. */
function filterSums(sums: readonly SpendSum[], filter: SpendFilter): readonly SpendSum[] {
  return sums.filter((sum) => isCounted(filter, { ...sum, tag: filter.tag }))
}
