// Owns the three totals a charge moves together: the key's, the account's and the quarter-hour sums.
import { type NanoUsd, nanoUsd } from '../../shared/money.ts'
import { type Db, statement } from './statement.ts'

/** Every offset between time zones in use is a multiple of it, so days and months begin on its bounds. */
export const QUARTER_MS = 15 * 60_000

/** The start of the quarter of an hour that `at` lies in. */
export function quarterOf(at: number): number {
  return Math.floor(at / QUARTER_MS) * QUARTER_MS
}

export interface Charge {
  keyId: string
  /** When the request was made, whenever it was settled. */
  createdAt: number
  model: string
  provider: string
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
const chargeRollup = statement<Charge & { bucket: number }>(`
  INSERT INTO rollups (bucket, key_id, model, provider, requests, tokens_in, tokens_out, cost_nano)
  VALUES (@bucket, @keyId, @model, @provider, 1, @tokensIn, @tokensOut, @costNano)
  ON CONFLICT DO UPDATE SET
    requests = requests + 1,
    tokens_in = tokens_in + excluded.tokens_in,
    tokens_out = tokens_out + excluded.tokens_out,
    cost_nano = cost_nano + excluded.cost_nano`)
const keySpend = statement<[string], SpendRow>('SELECT spend_nano FROM keys WHERE id = ?')
const accountSpend = statement<[], SpendRow>('SELECT spend_nano FROM account WHERE id = 1')

/** Adds one settled request to all totals. Throws a RangeError when one would leave the range of exact integers. */
export function charge(db: Db, settled: Charge): Spend {
  chargeRollup(db).run({ ...settled, bucket: quarterOf(settled.createdAt) })
  return {
    keySpendNano: nanoUsd(chargeKey(db).get(settled.costNano, settled.keyId)?.spend_nano ?? 0),
    accountSpendNano: nanoUsd(chargeAccount(db).get(settled.costNano)?.spend_nano ?? 0),
  }
}

/** What was spent so far; an unknown key has spent nothing. */
export function spendSoFar(db: Db, keyId: string): Spend {
  return {
    keySpendNano: nanoUsd(keySpend(db).get(keyId)?.spend_nano ?? 0),
    accountSpendNano: nanoUsd(accountSpend(db).get()?.spend_nano ?? 0),
  }
}
