// The limits that one request is under, together.
import { type NanoUsd, ZERO_USD } from '../../shared/money.ts'
import { leftOf, type Meter, type PeriodMeter, type SessionMeter } from './meter.ts'

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
