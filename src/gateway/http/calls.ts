// The calls of the API, as the handlers of its operations get them.
import type { IncomingHttpHeaders } from 'node:http'
import type {
  BodyOf,
  JsonOperationId,
  OperationId,
  QueryOf,
  ResponseOf,
  WritingOperationId,
} from '../../shared/api/operations.ts'
import type { ClaimHandle } from '../idempotency/idempotency.ts'
import type { RequestHook } from '../request/run.ts'
import type { Tracer } from '../upstream/request-trace.ts'
import type { Principal } from './auth.ts'
import type { RequestContext } from './request-context.ts'

/** A call of an operation, validated by its schemas. */
export interface Call<K extends OperationId> {
  /** The id in the path; empty for an operation without one. */
  id: string
  body: BodyOf<K>
  query: QueryOf<K>
  principal: Principal
  headers: IncomingHttpHeaders
  /** The path and query, unchanged. */
  url: string
  /** The body, unchanged. */
  bytes: Buffer
  /** The body as text; empty for a form. */
  text: string
  context: RequestContext
  /** Set when the request carries an Idempotency-Key; a handler that writes the response must end it. */
  claim: ClaimHandle | null
}

/** Handlers of the operations whose response is one JSON object. */
export type JsonHandlers = {
  [K in JsonOperationId]: (call: Call<K>) => ResponseOf<K> | Promise<ResponseOf<K>>
}

/** Handlers of the operations that write the response themselves. */
export type WritingHandlers = { [K in WritingOperationId]: (call: Call<K>) => void | Promise<void> }

/** A call of any operation, whose own schemas have parsed it. */
export interface ParsedCall extends Omit<Call<OperationId>, 'body' | 'query'> {
  body: unknown
  query: unknown
}

/** A handler without the types of its operation. Returns the body of the response, unless the row says that it `writes`. */
export interface Handler {
  handle(call: ParsedCall): unknown
}

/** The part of a feature in the gateway. */
export interface Feature {
  /** Its parts in requests to models. */
  hooks?: readonly RequestHook[]
  /** The handlers of its operations. */
  handlers?: Partial<JsonHandlers & WritingHandlers>
  /** Follows requests with traces; one feature at most has it. */
  tracer?: Tracer
  /** Called once before the first request. */
  start?(): Promise<void>
  /** Called once the last request has ended, when the gateway closes. */
  close?(): void | Promise<void>
}

/** A feature that has handlers alone, and is loaded with the first call of one of these operations. */
export function loadOnDemand(ids: readonly OperationId[], load: () => Promise<Feature>): Feature {
  let loading: Promise<Feature> | null = null
  const handlers = ids.map((id) => {
    const handle = async (call: never) => {
      loading ??= load()
      const handler: ((call: never) => unknown) | undefined = (await loading).handlers?.[id]
      if (!handler) throw new Error(`the feature has no handler of ${id}`)
      return await handler(call)
    }
    return [id, handle]
  })
  return { handlers: Object.fromEntries(handlers) }
}
