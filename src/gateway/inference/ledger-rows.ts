// How the outcome of a request becomes what is written to its row.
import {
  INITIAL_ROW,
  type NewRequest,
  type RefusedCount,
  type RefusedRequest,
  type Settlement,
  type StoredRequest,
} from '../store/store.ts'
import type { Charge } from './charge.ts'

type Required =
  | 'status'
  | 'httpStatus'
  | 'error'
  | 'model'
  | 'provider'
  | 'attempts'
  | 'firstByteMs'
  | 'totalMs'
type Stored = 'bodies' | 'idempotency'

/** How a request ended: the outcome, the charge, and other optional members of its row. */
export type Outcome = Pick<Settlement, Required> &
  Partial<Omit<Settlement, Required | Stored | keyof Charge | 'id' | 'settledAt'>> & {
    [Name in Stored]?: Settlement[Name] | undefined
  } & { charge: Charge }

/** A refused request, and how often it was repeated. */
export type Refusal = RefusedRequest & RefusedCount

/** The row of a running request, as the store holds it. Only the store's own rows have their number. */
export function openedRow(request: NewRequest): StoredRequest {
  return { ...INITIAL_ROW, ...request, seq: 0, bodiesKept: false }
}

/** What the outcome does not mention stays as it is in the row. */
export function settlementOf(row: StoredRequest, outcome: Outcome, settledAt: number): Settlement {
  const { charge, bodies, idempotency, ...rest } = outcome
  return {
    ...row,
    ...rest,
    ...charge,
    settledAt,
    ...(bodies ? { bodies } : {}),
    ...(idempotency ? { idempotency } : {}),
  }
}

/** What the settlement changes of the row in memory. */
export function settledFields({
  bodies,
  idempotency: _idempotency,
  ...row
}: Settlement): Partial<StoredRequest> {
  return { ...row, bodiesKept: bodies !== undefined }
}
