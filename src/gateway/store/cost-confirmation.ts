// Settles an unsettled charge at the cost that the user states: the request and all totals change by the difference.
import { type NanoUsd, nanoUsd, subtractUsd, ZERO_USD } from '../../shared/money.ts'
import type { CostStatus } from '../../shared/requests.ts'
import { addSpend } from './charge-totals.ts'
import { clientName } from './client-name.ts'
import { COST_STATUS_CODES, encodeId } from './request-codecs.ts'
import type { StoredRequest } from './request-columns.ts'
import { getRequest } from './request-log.ts'
import { rollupDay, rollupTimeZone, slot15mOf } from './rollup-slots.ts'
import { type Db, type SqlValue, statement } from './statement.ts'
import { StoreError } from './store-error.ts'
import { textsOf } from './texts.ts'

/** The actual cost of an unsettled request. */
export interface CostConfirmation {
  id: string
  costNano: NanoUsd
}

export type ConfirmResult =
  | { confirmed: true; request: StoredRequest /** Of either sign. */; differenceNano: NanoUsd }
  | { confirmed: false; refusal: ConfirmRefusal }

export type ConfirmRefusal =
  | { reason: 'unknown_request' }
  | { reason: 'not_unsettled'; costStatus: CostStatus }
  | { reason: 'out_of_bounds'; lowNano: NanoUsd; highNano: NanoUsd }

const confirm = statement<[number, SqlValue]>(`
  UPDATE requests
  SET cost_nano = CAST(? AS INTEGER), cost_status = ${COST_STATUS_CODES.confirmed},
    cost_low_nano = NULL, cost_high_nano = NULL
  WHERE id = ? AND cost_status = ${COST_STATUS_CODES.unsettled}`)
const adjustSlot15m = adjustRollup('rollups')
const adjustDay = adjustRollup('day_sums')

interface Adjustment {
  bucket: number
  keyId: SqlValue
  model: SqlValue
  provider: SqlValue
  client: SqlValue
  /** The name of no client. */
  unnamed: SqlValue
  /** The charge so far. */
  before: number
  difference: number
}

/** Requests from before rollups had clients are summed under ''. A sum is never smaller than a charge in it. */
function adjustRollup(table: 'rollups' | 'day_sums') {
  return statement<Adjustment>(`
    UPDATE ${table} SET cost_nano = cost_nano + CAST(@difference AS INTEGER)
    WHERE (bucket, key_id, model, provider, client) = (
      SELECT bucket, key_id, model, provider, client FROM ${table}
      WHERE bucket = @bucket AND key_id = @keyId AND model = @model AND provider = @provider
        AND client IN (@client, @unnamed) AND cost_nano >= @before
      ORDER BY client = @unnamed LIMIT 1)`)
}

/** Settles an unsettled request at a cost within its bounds. Refuses anything else, and then changes nothing. */
export function confirmCost(db: Db, { id, costNano }: CostConfirmation): ConfirmResult {
  const request = getRequest(db, id)
  if (!request) return { confirmed: false, refusal: { reason: 'unknown_request' } }
  const { costStatus } = request
  if (costStatus !== 'unsettled') {
    return { confirmed: false, refusal: { reason: 'not_unsettled', costStatus } }
  }
  const lowNano = request.costLowNano ?? ZERO_USD
  const highNano = request.costHighNano ?? request.reservedNano
  if (!(costNano >= lowNano && costNano <= highNano)) {
    return { confirmed: false, refusal: { reason: 'out_of_bounds', lowNano, highNano } }
  }
  const differenceNano = subtractUsd(nanoUsd(costNano), request.costNano ?? ZERO_USD)
  confirm(db).run(costNano, encodeId(id))
  adjustTotals(db, request, differenceNano)
  return { confirmed: true, request: getRequest(db, id) ?? request, differenceNano }
}

/** The rollups of the slot and the day in which the request was made, however long ago. */
function adjustTotals(db: Db, request: StoredRequest, difference: NanoUsd): void {
  addSpend(db, request.keyId, difference)
  const { createdAt } = request
  const texts = textsOf(db)
  const adjustment = {
    keyId: texts.find(request.keyId),
    model: texts.find(request.model ?? request.requestedModel),
    provider: texts.find(request.provider ?? ''),
    client: texts.find(clientName(request.client)),
    unnamed: texts.find(''),
    before: request.costNano ?? ZERO_USD,
    difference,
  }
  const adjusted =
    adjustSlot15m(db).run({ ...adjustment, bucket: slot15mOf(createdAt) }).changes +
    adjustDay(db).run({ ...adjustment, bucket: rollupDay(createdAt, rollupTimeZone(db)).start }).changes
  if (adjusted !== 2) throw new StoreError('failed', `The rollups do not contain the request ${request.id}.`)
}
