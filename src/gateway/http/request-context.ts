import type { IncomingMessage, ServerResponse } from 'node:http'
import { newRequestId, requestIdHeaders } from '../platform/ids.ts'
import type { ProviderSockets } from '../upstream/provider-sockets.ts'
import type { RequestTrace } from '../upstream/request-trace.ts'
import type { Principal } from './auth.ts'
import type { FoundRoute } from './routes.ts'

/** The model that a body names, and whether it asks for a stream. */
export interface RequestedModel {
  model: string | null
  stream: boolean
}

export const NO_MODEL: RequestedModel = { model: null, stream: false }

/** The model that a body names, whether or not the body is valid. */
export function readRequestedModel(body: unknown): RequestedModel {
  if (typeof body !== 'object' || body === null) return NO_MODEL
  const model = 'model' in body && typeof body.model === 'string' ? body.model : null
  return { model, stream: 'stream' in body && body.stream === true }
}

/** One request and its response, with what becomes known of them until the response is sent. */
export class RequestContext {
  readonly id = newRequestId()
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Whether it is the owner's of the machine: made inside this process, or over the socket that only this user can open. */
  readonly isOwner: boolean
  readonly method: string
  /** The path and query, unchanged. */
  readonly url: string
  readonly path: string
  /** Without the question mark; empty if there is none. */
  readonly query: string
  /** Headers of the response, whatever it is. A response can replace them. */
  headers: Readonly<Record<string, string>> = commonHeaders(this.id)
  /** Whether it came over the listener for containers; known once its head is checked. */
  isOnBridge = false
  /** Null until the request is routed, and when it is to no operation. */
  route: FoundRoute | null = null
  /** Null until the caller is authenticated. */
  principal: Principal | null = null
  /** Null until the body is read. */
  requested: RequestedModel | null = null
  /** The trace of a request to a model; null while traces are off and the client has sent none. */
  trace: RequestTrace | null = null
  /** Those of providers that a turn of a client's WebSocket may go over; null for all other requests. */
  sockets: ProviderSockets | null = null

  constructor(request: IncomingMessage, response: ServerResponse, isOwner: boolean) {
    const { method = '', url = '' } = request
    this.request = request
    this.response = response
    this.isOwner = isOwner
    this.method = method
    this.url = url
    const end = url.indexOf('?')
    this.path = end === -1 ? url : url.slice(0, end)
    this.query = end === -1 ? '' : url.slice(end + 1)
  }
}

/** The headers of every response. Responses may contain secrets, so they must not be cached or sniffed. */
export function commonHeaders(requestId: string): Readonly<Record<string, string>> {
  return { ...requestIdHeaders(requestId), 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }
}
