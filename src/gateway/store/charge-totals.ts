// The totals that every charge changes together: the key's, the account's, and the 15-minute and daily rollups.
import { type NanoUsd, nanoUsd } from '../../shared/money.ts'
import { clientName } from './client-name.ts'
import { rollupDay, rollupTimeZone, slot15mOf } from './rollup-slots.ts'
import { type Db, statement } from './statement.ts'

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
  return statement<Charge & { bucket: number }>(`
    INSERT INTO ${table} (bucket, key_id, model, provider, client, requests, tokens_in, tokens_out, cost_nano)
    VALUES (@bucket, @keyId, @model, @provider, @client, 1, @tokensIn, @tokensOut, @costNano)
    ON CONFLICT DO UPDATE SET
      requests = requests + 1,
      tokens_in = tokens_in + excluded.tokens_in,
      tokens_out = tokens_out + excluded.tokens_out,
      cost_nano = cost_nano + excluded.cost_nano`)
}

/** Adds one settled request to all totals. Throws a RangeError when one would leave the range of exact integers. */
export function charge(db: Db, settled: Charge): Spend {
  const row = { ...settled, client: clientName(settled.client) }
  addToSlot15m(db).run({ ...row, bucket: slot15mOf(settled.createdAt) })
  addToDay(db).run({ ...row, bucket: rollupDay(settled.createdAt, rollupTimeZone(db)).start })
  return addSpend(db, settled.keyId, settled.costNano)
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
