// Owns the totals a charge moves together: the key's, the account's, and the sums per quarter of an hour and per day.
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
  /** As the request's `User-Agent` said it. */
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
const chargeSlot15m = chargeSums('rollups')
const chargeDay = chargeSums('day_sums')
const keySpend = statement<[string], SpendRow>('SELECT spend_nano FROM keys WHERE id = ?')
const accountSpend = statement<[], SpendRow>('SELECT spend_nano FROM account WHERE id = 1')

function chargeSums(table: 'rollups' | 'day_sums') {
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
  const sums = { ...settled, client: clientName(settled.client) }
  chargeSlot15m(db).run({ ...sums, bucket: slot15mOf(settled.createdAt) })
  chargeDay(db).run({ ...sums, bucket: rollupDay(settled.createdAt, rollupTimeZone(db)).start })
  return addSpend(db, settled.keyId, settled.costNano)
}

/** Moves the key's and the account's spend alone, by a difference of either sign. Throws a RangeError as `charge` does. */
export function addSpend(db: Db, keyId: string, difference: NanoUsd): Spend {
  return {
    keySpendNano: nanoUsd(chargeKey(db).get(difference, keyId)?.spend_nano ?? 0),
    accountSpendNano: nanoUsd(chargeAccount(db).get(difference)?.spend_nano ?? 0),
  }
}

/** What was spent so far; an unknown key has spent nothing. */
export function spendSoFar(db: Db, keyId: string): Spend {
  return {
    keySpendNano: nanoUsd(keySpend(db).get(keyId)?.spend_nano ?? 0),
    accountSpendNano: nanoUsd(accountSpend(db).get()?.spend_nano ?? 0),
  }
}
