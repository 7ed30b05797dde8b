// Settling in two steps. The first, which the answer waits for, only gives the row in `running` its final form: it writes two pages
// of the database, and the sums and the indexes of `requests` would be a dozen more. The second moves the rows of many requests to
// `requests` and adds their charges to the sums. Until then a settled row is durable and in no sum; after a crash it is moved first.
import { NANO_PER_USD, type NanoUsd, nanoUsd } from '../../../shared/money/money.ts'
import { type Db, type SqlValue, statement } from '../engine/statement.ts'
import { StoreError } from '../engine/store-error.ts'
import type { Charge } from '../sums/session-sums.ts'
import {
  chargeAll,
  computeCharge,
  isInLog,
  readAccountSpend,
  recordRequests,
  requireSettled,
  type Settlement,
} from './ledger.ts'
import { decodeUsage, encodeId, MICROS_PER_MS, STATUS_CODES, status } from './request-codecs.ts'
import { COLUMN_LIST, encodeSettled, insertRow, type NewRequest, SETTLE_IN_PLACE } from './request-columns.ts'
import { getTexts } from './session-numbers.ts'

/** Above these, a sum may leave the range of exact integers, which must be known before the answer. */
const MAX_SPEND = Number.MAX_SAFE_INTEGER / 2
const MAX_CHARGE = 1_000 * NANO_PER_USD

interface SettledRow {
  keyId: SqlValue
  createdAt: number
  requestedModel: SqlValue
  model: SqlValue
  provider: SqlValue
  client: SqlValue
  session: number | null
  tag: SqlValue
  status: number
  tokensIn: number
  tokensOut: number
  usage: SqlValue
  costNano: number | null
  worthNano: number | null
  savedNano: number | null
  totalUs: number | null
  firstByteUs: number | null
}

const IS_SETTLED = `status <> ${STATUS_CODES.running}`

const settleInPlace = statement<SqlValue[]>(SETTLE_IN_PLACE)
const settledRows = statement<[], SettledRow>(`
  SELECT key_id AS keyId, created_at AS createdAt, requested_model AS requestedModel, model, provider, client, session, tag,
    status, tokens_in AS tokensIn, tokens_out AS tokensOut, usage, cost_nano AS costNano, worth_nano AS worthNano,
    saved_nano AS savedNano, total_us AS totalUs, first_byte_us AS firstByteUs
  FROM running WHERE ${IS_SETTLED}`)
const move = statement<[]>(
  `INSERT INTO requests (seq, ${COLUMN_LIST}) SELECT seq, ${COLUMN_LIST} FROM running WHERE ${IS_SETTLED}`,
)
const removeMoved = statement<[]>(`DELETE FROM running WHERE ${IS_SETTLED}`)

/**
 * Opens and settles the requests of a batch as `recordRequests` does, but leaves what is settled to `moveSettled`. Settles
 * completely where a settlement has more than its row.
 */
export function recordSoon(db: Db, opened: readonly NewRequest[], settlements: readonly Settlement[]): void {
  if (!settlements.every(mayWait) || readAccountSpend(db) > MAX_SPEND) {
    recordRequests(db, opened, settlements)
    return
  }
  const waiting = new Map(opened.map((request) => [request.id, request]))
  for (const settlement of settlements) {
    const { id } = settlement
    const request = waiting.get(id)
    if (request) {
      if (isInLog(db, id)) throw new StoreError('conflict', `The request ${id} is recorded already.`)
      insertRow(db, 'running', { ...request, ...settlement })
      waiting.delete(id)
    } else if (settleInPlace(db).run(...encodeSettled(db, settlement), encodeId(id)).changes === 0)
      requireSettled(db, id)
  }
  recordRequests(db, [...waiting.values()], [])
}

function mayWait({ hold, bodies, idempotency, cache, costNano }: Settlement): boolean {
  return !hold && !bodies && !idempotency && !cache && (costNano ?? 0) < MAX_CHARGE
}

/** Moves the rows of settled requests to `requests`, and charges them. */
export function moveSettled(db: Db): void {
  const rows = settledRows(db).all()
  if (rows.length === 0) return
  move(db).run()
  removeMoved(db).run()
  chargeAll(
    db,
    rows.map((row) => readCharge(db, row)),
  )
}

function readCharge(db: Db, row: SettledRow): Charge {
  const texts = getTexts(db)
  const { tokensIn, tokensOut, usage } = row
  return computeCharge(
    {
      keyId: texts.getText(row.keyId),
      createdAt: row.createdAt,
      requestedModel: texts.getText(row.requestedModel),
      client: texts.getOptional(row.client),
      tag: texts.getOptional(row.tag),
    },
    row.session === null ? null : BigInt(row.session),
    {
      status: status.decode(row.status),
      model: texts.getOptional(row.model),
      provider: texts.getOptional(row.provider),
      ...{ tokensIn, tokensOut },
      usage: usage === null ? null : decodeUsage(usage, tokensIn, tokensOut),
      costNano: readNano(row.costNano),
      worthNano: readNano(row.worthNano),
      savedNano: readNano(row.savedNano),
      totalMs: readMs(row.totalUs),
      firstByteMs: readMs(row.firstByteUs),
    },
  )
}

function readNano(nano: number | null): NanoUsd | null {
  return nano === null ? null : nanoUsd(nano)
}

function readMs(micros: number | null): number | null {
  return micros === null ? null : micros / MICROS_PER_MS
}
