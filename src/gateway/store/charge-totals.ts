// The totals that every charge changes together: the key's, the account's, and the 15-minute and daily rollups.
import { addUsd, type NanoUsd, nanoUsd } from '../../shared/money.ts'
import { clientName } from './client-name.ts'
import { rollupDay, rollupTimeZone, slot15mOf } from './rollup-slots.ts'
import { type Db, type SqlValue, statement } from './statement.ts'
import { textsOf } from './texts.ts'

export interface Charge {
  keyId: string
  /** When the request was made, whenever it was settled. */
  createdAt: number
  model: string
  provider: string
  /** The request's `User-Agent`. */
  client: string | null
  tokensIn: number
  tokensOut: number
  costNano: NanoUsd
}

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

function addToRollup(table: 'rollups' | 'day_sums') {
  return statement<SqlValue[]>(`
    INSERT INTO ${table} (bucket, key_id, model, provider, client, requests, tokens_in, tokens_out, cost_nano)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET
      requests = requests + excluded.requests,
      tokens_in = tokens_in + excluded.tokens_in,
      tokens_out = tokens_out + excluded.tokens_out,
      cost_nano = cost_nano + excluded.cost_nano`)
}

/** Adds one settled request to all totals. Throws a RangeError when one would leave the range of exact integers. */
export function charge(db: Db, settled: Charge): Spend {
  addToRollups(db, settled, 1)
  return addSpend(db, settled.keyId, settled.costNano)
}

/** Adds several at once: each total changes once. Throws a RangeError as `charge` does. */
export function chargeAll(db: Db, all: readonly Charge[]): void {
  const perKey = new Map<string, number>()
  const sums = new Map<string, { sum: Charge; requests: number }>()
  for (const each of all) {
    const { keyId, createdAt, model, provider, client } = each
    perKey.set(keyId, nanoUsd((perKey.get(keyId) ?? 0) + each.costNano))
    const name = `${slot15mOf(createdAt)}\n${keyId}\n${model}\n${provider}\n${client}`
    const known = sums.get(name)
    if (known) {
      addTo(known.sum, each)
      known.requests += 1
    } else sums.set(name, { sum: { ...each }, requests: 1 })
  }
  for (const { sum, requests } of sums.values()) addToRollups(db, sum, requests)
  for (const [keyId, nano] of perKey) addSpend(db, keyId, nanoUsd(nano))
}

function addTo(sum: Charge, each: Charge): void {
  sum.tokensIn += each.tokensIn
  sum.tokensOut += each.tokensOut
  sum.costNano = addUsd(sum.costNano, each.costNano)
}

/** A slot lies within one day. */
function addToRollups(db: Db, sum: Charge, requests: number): void {
  const texts = textsOf(db)
  const values = [
    texts.put(sum.keyId),
    texts.put(sum.model),
    texts.put(sum.provider),
    texts.put(clientName(sum.client)),
    requests,
    sum.tokensIn,
    sum.tokensOut,
    sum.costNano,
  ]
  addToSlot15m(db).run(slot15mOf(sum.createdAt), ...values)
  addToDay(db).run(rollupDay(sum.createdAt, rollupTimeZone(db)).start, ...values)
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
