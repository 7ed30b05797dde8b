// The totals that every charge changes together: the key's, the account's, and the 15-minute and daily rollups.
import { addUsd, type NanoUsd, nanoUsd, ZERO_USD } from '../../../shared/money.ts'
import { type Db, statement } from '../engine/statement.ts'
import { clientName } from '../sums/client-name.ts'
import {
  addToRollup,
  MEASURE_NAMES,
  type Measures,
  rollupDay,
  rollupTimeZone,
  slot15mOf,
} from '../sums/rollup-columns.ts'
import { addToSessions } from '../sums/session-sums.ts'
import { addDuration, addTimings, encodeTimings, noTimings, type Timings } from '../sums/timings.ts'
import type { Charge } from './request-columns.ts'
import { textsOf } from './texts.ts'

export interface Spend {
  keySpendNano: NanoUsd
  accountSpendNano: NanoUsd
}

interface SpendRow {
  spend_nano: number
}

// JavaScript numbers bind as REAL; the cast keeps the sums in 64-bit integers.
const chargeKey = statement<[number, string], SpendRow>(
  'UPDATE keys SET spend_nano = spend_nano + CAST(? AS INTEGER) WHERE id = ? RETURNING spend_nano',
)
const chargeAccount = statement<[number], SpendRow>(
  'UPDATE account SET spend_nano = spend_nano + CAST(? AS INTEGER) WHERE id = 1 RETURNING spend_nano',
)
const addToSlot15m = addToRollup('rollups')
const addToDay = addToRollup('day_sums')
const keySpend = statement<[string], SpendRow>('SELECT spend_nano FROM keys WHERE id = ?')
const accountSpend = statement<[], SpendRow>('SELECT spend_nano FROM account WHERE id = 1')

/** Adds one settled request to all totals. Throws a RangeError when one would leave the range of exact integers. */
export function charge(db: Db, settled: Charge): Spend {
  addToRollups(db, settled, measure(settled))
  addToSessions(db, [settled])
  return addSpend(db, settled.keyId, settled.costNano ?? ZERO_USD)
}

/** Adds several at once: each total changes once. Throws a RangeError as `charge` does. */
export function chargeAll(db: Db, all: readonly Charge[]): void {
  const perKey = new Map<string, NanoUsd>()
  const sums = new Map<string, { first: Charge; sum: Measured }>()
  for (const each of all) {
    const { keyId, createdAt, model, provider, client, tag } = each
    perKey.set(keyId, addUsd(perKey.get(keyId) ?? ZERO_USD, each.costNano ?? ZERO_USD))
    const name = `${slot15mOf(createdAt)}\n${keyId}\n${model}\n${provider}\n${client}\n${tag}`
    const measured = measure(each)
    const known = sums.get(name)
    if (known) addMeasured(known.sum, measured)
    else sums.set(name, { first: each, sum: measured })
  }
  for (const { first, sum } of sums.values()) addToRollups(db, first, sum)
  addToSessions(db, all)
  for (const [keyId, nano] of perKey) addSpend(db, keyId, nano)
}

interface Measured extends Measures {
  timings: Timings
}

function measure({ status, tokensIn, tokensOut, usage, costNano, totalMs, firstByteMs }: Charge): Measured {
  const timings = noTimings()
  if (status === 'succeeded') {
    addDuration(timings.total, totalMs)
    addDuration(timings.firstByte, firstByteMs)
  }
  return {
    requests: 1,
    tokensIn,
    tokensOut,
    tokensCached: usage?.cacheRead ?? 0,
    costNano: costNano ?? ZERO_USD,
    errors: Number(status === 'failed'),
    unpriced: Number(costNano === null),
    timings,
  }
}

function addMeasured(sum: Measured, each: Measured): void {
  for (const name of MEASURE_NAMES) sum[name] += each[name]
  nanoUsd(sum.costNano)
  addTimings(sum.timings, each.timings)
}

/** A slot lies within one day. */
function addToRollups(db: Db, charge: Charge, sum: Measured): void {
  const { keyId, model, provider, client, tag, createdAt } = charge
  const texts = textsOf(db)
  const place = [keyId, model, provider, clientName(client), tag ?? ''].map((text) => texts.put(text))
  const measures = MEASURE_NAMES.map((name) => sum[name])
  const timings = encodeTimings(sum.timings)
  addToSlot15m(db, [slot15mOf(createdAt), ...place], measures, timings)
  addToDay(db, [rollupDay(createdAt, rollupTimeZone(db)).start, ...place], measures, timings)
}

/** Changes only the key's and the account's spend, by a difference of either sign. Throws a RangeError as `charge` does. */
export function addSpend(db: Db, keyId: string, difference: NanoUsd): Spend {
  return {
    keySpendNano: nanoUsd(chargeKey(db).get(difference, keyId)?.spend_nano ?? 0),
    accountSpendNano: nanoUsd(chargeAccount(db).get(difference)?.spend_nano ?? 0),
  }
}

/** The spend so far; zero for an unknown key. */
export function spendSoFar(db: Db, keyId: string): Spend {
  return {
    keySpendNano: nanoUsd(keySpend(db).get(keyId)?.spend_nano ?? 0),
    accountSpendNano: nanoUsd(accountSpend(db).get()?.spend_nano ?? 0),
  }
}
