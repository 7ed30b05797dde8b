import type { SqlValue } from '../engine/statement.ts'
import type { SettledColumns } from './request-columns.ts'

/** A settled request, as the sums need it. */
export interface Charge
  extends Pick<
    SettledColumns,
    'status' | 'tokensIn' | 'tokensOut' | 'usage' | 'costNano' | 'totalMs' | 'firstByteMs'
  > {
  keyId: string
  /** When the request was made, whenever it was settled. */
  createdAt: number
  model: string
  provider: string
  /** The request's `User-Agent`. */
  client: string | null
  /** The number of the session; null for a request without one. */
  session: SqlValue
  tag: string | null
}
