// What stops or warns a request: the cap of its key, the monthly limit, and further limits of either.
import {
  addUsd,
  type NanoUsd,
  nanoToUsd,
  nanoUsd,
  subtractUsd,
  usdToNano,
  ZERO_USD,
} from '../../shared/money.ts'
import type { AccountSpendLimit, AccountSpendLimitState } from '../../shared/spend-limits.ts'
import type { KeyState } from '../keys/key-state.ts'
import type { AccountService } from './account.ts'
import type { SpendCounter, SpendFilter } from './spend-counter.ts'

/** A limit, and what is spent and reserved under it. */
export interface Meter {
  /** Infinity without a limit. */
  readonly limitNano: number
  readonly spentNano: NanoUsd
  readonly reservedNano: NanoUsd
  readonly source: LimitSource
}

/** Which limit it is. */
export type LimitSource =
  | { kind: 'cap'; key: KeyState }
  | { kind: 'month'; account: AccountService }
  /** One of the list of a key, or of the account where `key` is null. */
  | {
      kind: 'listed'
      key: KeyState | null
      limit: AccountSpendLimit
      index: number
      resetsAt: number | null
      /** When the spend becomes less because time passes; null if it never does. */
      changesAt: number | null
      zone: string
    }

/** What a limit leaves; Infinity without one. */
export function leftOf({ limitNano, spentNano, reservedNano }: Meter): number {
  return limitNano === Infinity ? Infinity : limitNano - spentNano - reservedNano
}

/** The lifetime cap of a key, if it has one. */
export class CapMeter implements Meter {
  readonly source: LimitSource
  readonly #key: KeyState

  constructor(key: KeyState) {
    this.#key = key
    this.source = { kind: 'cap', key }
  }

  get limitNano(): number {
    return this.#key.limitNano ?? Infinity
  }
  get spentNano(): NanoUsd {
    return this.#key.spendNano
  }
  get reservedNano(): NanoUsd {
    return this.#key.reservedNano
  }
}

/** The monthly limit, if there is one. */
export class MonthMeter implements Meter {
  readonly source: LimitSource
  readonly #account: AccountService

  constructor(account: AccountService) {
    this.#account = account
    this.source = { kind: 'month', account }
  }

  get limitNano(): number {
    return this.#account.monthlyLimitNano ?? Infinity
  }
  get spentNano(): NanoUsd {
    return this.#account.monthSpendNano
  }
  get reservedNano(): NanoUsd {
    return this.#account.reservedNano
  }
}

export interface ListedLimit {
  key: KeyState | null
  limit: AccountSpendLimit
  index: number
  filter: SpendFilter
}

/** A listed limit for one period at a time. */
export class PeriodMeter implements Meter {
  readonly limitNano: number
  readonly counter: SpendCounter
  readonly listed: ListedLimit
  readonly #zone: () => string
  #reservedNano: NanoUsd = ZERO_USD
  /** The reservations before it were made in earlier periods, in which their requests count. */
  #firstNumber = 0
  #lastNumber = -1
  /** What those have reserved since this period began, which its limit has to leave: all else would have none. */
  readonly #fromEarlier = new Map<number, NanoUsd>()
  #resetsAt: number | null = null

  constructor(listed: ListedLimit, counter: SpendCounter, zone: () => string) {
    this.listed = listed
    this.counter = counter
    this.limitNano = usdToNano(listed.limit.usd)
    this.#zone = zone
  }

  get spentNano(): NanoUsd {
    return this.counter.spentNano
  }
  /** By what was admitted in this period, and by what streams of earlier ones have added in it. */
  get reservedNano(): NanoUsd {
    this.#followPeriod()
    return this.#reservedNano
  }
  /** `number`: of the reservation, in the order of admission. */
  reserve(difference: NanoUsd, number: number): void {
    this.#followPeriod()
    this.#lastNumber = Math.max(this.#lastNumber, number)
    const counted = number < this.#firstNumber ? this.#addEarlier(number, difference) : difference
    this.#reservedNano = addUsd(this.#reservedNano, counted)
  }
  clearReserved(): void {
    this.#reservedNano = ZERO_USD
    this.#fromEarlier.clear()
  }
  /** What was reserved before is not counted, so that its release does not count either. Returns by how much the sum changes. */
  #addEarlier(number: number, difference: NanoUsd): NanoUsd {
    const before = this.#fromEarlier.get(number) ?? ZERO_USD
    const after = nanoUsd(Math.max(0, addUsd(before, difference)))
    if (after > 0) this.#fromEarlier.set(number, after)
    else this.#fromEarlier.delete(number)
    return subtractUsd(after, before)
  }
  /** Never back to an earlier period: a clock that is set back and forth must not release what is reserved. */
  #followPeriod(): void {
    const { resetsAt } = this.counter
    if (resetsAt === null || (this.#resetsAt !== null && resetsAt <= this.#resetsAt)) return
    if (this.#resetsAt !== null) {
      this.#firstNumber = this.#lastNumber + 1
      this.clearReserved()
    }
    this.#resetsAt = resetsAt
  }
  get source(): LimitSource {
    const { key, limit, index } = this.listed
    const { resetsAt, changesAt } = this.counter
    return { kind: 'listed', key, limit, index, resetsAt, changesAt, zone: this.#zone() }
  }
}

/** A listed limit for each session: what one session has spent and reserved. */
export class SessionMeter implements Meter {
  readonly limitNano: number
  readonly listed: ListedLimit
  readonly sessionId: string
  spentNano: NanoUsd
  reservedNano: NanoUsd = ZERO_USD

  constructor(listed: ListedLimit, sessionId: string, spentNano: NanoUsd) {
    this.listed = listed
    this.sessionId = sessionId
    this.limitNano = usdToNano(listed.limit.usd)
    this.spentNano = spentNano
  }

  reserve(difference: NanoUsd): void {
    this.reservedNano = addUsd(this.reservedNano, difference)
  }
  clearReserved(): void {
    this.reservedNano = ZERO_USD
  }

  get source(): LimitSource {
    const { key, limit, index } = this.listed
    return { kind: 'listed', key, limit, index, resetsAt: null, changesAt: null, zone: '' }
  }
}

/** As the API shows a listed limit. */
export function stateOf(
  limit: AccountSpendLimit,
  meter: Pick<Meter, 'spentNano' | 'reservedNano'>,
  resetsAt: number | null,
): AccountSpendLimitState {
  return {
    ...limit,
    spentUsd: nanoToUsd(meter.spentNano),
    reservedUsd: nanoToUsd(meter.reservedNano),
    resetsAt: resetsAt === null ? null : new Date(resetsAt).toISOString(),
  }
}

// The limits that one request is under, together.

export interface Meters {
  /** Those that stop it. Never empty. */
  readonly stops: readonly [Meter, ...Meter[]]
  /** Where it reserves, besides its key and the account. */
  readonly listed: readonly (PeriodMeter | SessionMeter)[]
}

/** The limit that is used up by what is charged and `consumed`; null for none. */
export function reached({ stops }: Meters, consumed: NanoUsd = ZERO_USD): Meter | null {
  return stops.find(({ limitNano, spentNano }) => spentNano + consumed >= limitNano) ?? null
}

/** What all limits leave beside all that is spent and reserved; Infinity without a limit. */
export function left({ stops }: Meters): number {
  let least = Infinity
  for (const meter of stops) least = Math.min(least, leftOf(meter))
  return least
}

/** The limits that leave nothing. */
export function exhausted({ stops }: Meters): readonly Meter[] {
  return stops.filter((meter) => leftOf(meter) <= 0)
}

/** The limit that leaves least. */
export function tightest({ stops: [first, ...others] }: Meters): Meter {
  return others.reduce((least, meter) => (leftOf(meter) < leftOf(least) ? meter : least), first)
}
