// Settles an unsettled charge at the cost that the user states: the request and all totals change by the difference.

import type { CostStatus } from '../../../shared/api/requests.ts'
import { NANO_PER_USD, type NanoUsd, nanoUsd, subtractUsd, ZERO_USD } from '../../../shared/money/money.ts'
import { clientName } from '../../../shared/values/client-name.ts'
import { getRequest } from '../listings/request-log.ts'
import type { StoredRequest } from '../rows/request-columns.ts'
import { findSession } from '../rows/session-rows.ts'
import { type Db, statement } from '../sql/statement.ts'
import { NO_MEASURES } from '../sums/rollup-columns.ts'
import { adjustSession } from '../sums/session-sums.ts'
import { addSpend, addToSums, removeHold } from './ledger.ts'

/** The user entered the cost, or it is that of the provider's export. */
type ConfirmedBy = 'user' | 'reconciliation'

/** The actual cost of a request whose cost is not certain. */
export interface CostConfirmation {
  id: string
  costNano: NanoUsd
  at: number
  by: ConfirmedBy
}

/** The cost before its confirmation. */
export interface StoredConfirmation {
  at: number
  from: CostStatus
  beforeNano: NanoUsd
  lowNano: NanoUsd | null
  highNano: NanoUsd | null
  by: ConfirmedBy
}

export type ConfirmResult =
  /** The difference is of either sign. */
  | { confirmed: true; request: StoredRequest; differenceNano: NanoUsd }
  | { confirmed: false; refusal: ConfirmRefusal }

export type ConfirmRefusal =
  | { reason: 'unknown_request' }
  | { reason: 'not_unsettled'; costStatus: CostStatus }
  | { reason: 'out_of_bounds'; lowNano: NanoUsd; highNano: NanoUsd }

const confirm = statement<[number, number]>(`
  UPDATE requests
  SET cost_nano = CAST(? AS INTEGER), cost_status = 'confirmed',
    cost_low_nano = NULL, cost_high_nano = NULL
  WHERE seq = ?`)
const note = statement<[number, string | null, number]>(`
  INSERT INTO cost_confirmations
    (seq, confirmed_at, reconciliation_id, cost_status, cost_nano, cost_low_nano, cost_high_nano)
  SELECT seq, CAST(? AS INTEGER), ?, cost_status, ifnull(cost_nano, 0), cost_low_nano, cost_high_nano
  FROM requests WHERE seq = ?`)
const selectConfirmation = statement<[string], StoredConfirmation>(`
  SELECT c.confirmed_at AS at, c.cost_status AS "from", c.cost_nano AS beforeNano, c.cost_low_nano AS lowNano,
    c.cost_high_nano AS highNano, iif(c.reconciliation_id IS NULL, 'user', 'reconciliation') AS "by"
  FROM cost_confirmations c JOIN requests USING (seq) WHERE id = ?`)

/** How often the bill of an estimated request may exceed what was estimated, as for the costs that providers report. */
const MOST_OF_ESTIMATE = 100

/**
 * Settles an unsettled request, or with a provider's export also an estimated one, at a cost within its bounds. Refuses
 * anything else, and then changes nothing.
 */
export function confirmCost(db: Db, confirmation: CostConfirmation): ConfirmResult {
  const { id, costNano, at, by } = confirmation
  const request = getRequest(db, id)
  if (!request || request.status === 'rejected')
    return { confirmed: false, refusal: { reason: 'unknown_request' } }
  const { costStatus } = request
  const isOpen = costStatus === 'unsettled' || (costStatus === 'estimated' && by === 'reconciliation')
  if (!isOpen) return { confirmed: false, refusal: { reason: 'not_unsettled', costStatus } }
  const { lowNano, highNano } = costBounds(request)
  if (!(costNano >= lowNano && costNano <= highNano)) {
    return { confirmed: false, refusal: { reason: 'out_of_bounds', lowNano, highNano } }
  }
  const differenceNano = subtractUsd(nanoUsd(costNano), request.costNano ?? ZERO_USD)
  // Earlier versions have written the id of a stored comparison.
  note(db).run(at, by === 'user' ? null : by, request.seq)
  confirm(db).run(costNano, request.seq)
  adjustTotals(db, request, differenceNano)
  removeHold(db, id)
  return { confirmed: true, request: getRequest(db, id) ?? request, differenceNano }
}

function costBounds(request: StoredRequest): { lowNano: NanoUsd; highNano: NanoUsd } {
  const lowNano = request.costLowNano ?? ZERO_USD
  if (request.costStatus !== 'estimated') {
    return { lowNano, highNano: request.costHighNano ?? request.reservedNano }
  }
  const estimate = request.costNano ?? ZERO_USD
  const highNano = Math.max(NANO_PER_USD, estimate * MOST_OF_ESTIMATE, request.costHighNano ?? 0)
  return { lowNano, highNano: nanoUsd(highNano) }
}

/** Null for a request whose cost was not confirmed, or was before this was stored. */
export function getConfirmation(db: Db, id: string): StoredConfirmation | null {
  return selectConfirmation(db).get(id) ?? null
}

function adjustTotals(db: Db, request: StoredRequest, difference: NanoUsd): void {
  addSpend(db, request.keyId, difference)
  const place = { model: request.model ?? request.requestedModel, provider: request.provider ?? '' }
  const sumPlace = { ...request, ...place, clientName: clientName(request.client) }
  addToSums(db, sumPlace, { ...NO_MEASURES, costNano: difference })
  const session = findSession(db, request.sessionId)
  if (session !== null) adjustSession(db, { session, ...place }, difference)
}
