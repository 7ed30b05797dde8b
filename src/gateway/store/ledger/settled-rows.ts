// Rows of settled requests that an earlier version left among those that run: they are moved to `requests` and charged at the start.
import { type NanoUsd, nanoUsd } from '../../../shared/money/money.ts'
import { type Db, type SqlValue, statement } from '../engine/statement.ts'
import type { Charge } from '../sums/session-sums.ts'
import { chargeAll, computeCharge } from './ledger.ts'
import { decodeUsage, MICROS_PER_MS, STATUS_CODES, status } from './request-codecs.ts'
import { COLUMN_LIST } from './request-columns.ts'
import { getTexts } from './session-numbers.ts'

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

const settledRows = statement<[], SettledRow>(`
  SELECT key_id AS keyId, created_at AS createdAt, requested_model AS requestedModel, model, provider, client, session, tag,
    status, tokens_in AS tokensIn, tokens_out AS tokensOut, usage, cost_nano AS costNano, worth_nano AS worthNano,
    saved_nano AS savedNano, total_us AS totalUs, first_byte_us AS firstByteUs
  FROM running WHERE ${IS_SETTLED}`)
const move = statement<[]>(
  `INSERT INTO requests (seq, ${COLUMN_LIST}) SELECT seq, ${COLUMN_LIST} FROM running WHERE ${IS_SETTLED}`,
)
const removeMoved = statement<[]>(`DELETE FROM running WHERE ${IS_SETTLED}`)

export function moveSettled(db: Db): void {
  const rows = settledRows(db).all()
  if (rows.length === 0) return
  db.transaction(() => {
    move(db).run()
    removeMoved(db).run()
    chargeAll(
      db,
      rows.map((row) => readCharge(db, row)),
    )
  })()
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
