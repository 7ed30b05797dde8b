import type { IncomingHttpHeaders } from 'node:http'
import type { BodyOf, JsonOperationId, OperationId, QueryOf, ResponseOf } from '../../shared/operations.ts'
import type { Principal } from '../http/auth.ts'
import type { Exchange } from '../http/request-context.ts'
import type { ClaimHandle } from '../idempotency/idempotency.ts'

/** A call of an operation, validated by its schemas. */
export interface Call<K extends OperationId> {
  /** From the path; empty for an operation without one. */
  id: string
  body: BodyOf<K>
  query: QueryOf<K>
  principal: Principal
  headers: IncomingHttpHeaders
  /** The path and query as they came. */
  url: string
  /** The body as it came. */
  bytes: Buffer
  /** The same as text; empty for a form. */
  text: string
  exchange: Exchange
}

/** What a handler that writes its own response gets as well. */
export interface StreamCall<K extends OperationId> extends Call<K> {
  /** Set when the request carries an Idempotency-Key; the handler must end it. */
  claim: ClaimHandle | null
}

/** What answers each operation whose response is one JSON object. */
export type JsonHandlers = {
  [K in JsonOperationId]: (call: Call<K>) => ResponseOf<K> | Promise<ResponseOf<K>>
}
