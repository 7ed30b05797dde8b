import type { Log } from '../platform/log.ts'
import { drainRequest } from './drain-request.ts'
import { formatErrorBody } from './error-body.ts'
import { toGatewayError } from './errors.ts'
import type { Exchange } from './request-context.ts'
import { encodeHeaders } from './response-headers.ts'

export const JSON_TYPE = 'application/json; charset=utf-8'

export interface CompleteResponse {
  status: number
  headers: Readonly<Record<string, string>>
  body: string | Buffer
}

/** Sends a response in one piece. */
export function writeResponse(
  { response, headers: common }: Pick<Exchange, 'response' | 'headers'>,
  { status, headers, body }: CompleteResponse,
): void {
  const length = Buffer.byteLength(body)
  response.writeHead(status, { ...common, ...encodeHeaders(headers), 'content-length': length }).end(body)
}

/** Sends an error response. Closes the connection when a response was already started or cannot be sent. */
export function sendError(thrown: unknown, exchange: Exchange, log: Log): void {
  const requestLog = log.child({ requestId: exchange.id })
  writeError(thrown, exchange, requestLog).catch((err: unknown) => {
    requestLog.error('An error response could not be sent', { err })
    exchange.response.destroy()
  })
}

async function writeError(thrown: unknown, exchange: Exchange, log: Log): Promise<void> {
  const error = toGatewayError(thrown, log)
  const { request, response, method, url, id } = exchange
  // A complete response that is still being sent may arrive.
  if (response.writableEnded) return
  if (response.headersSent || response.destroyed) return void response.destroy()
  const awaitsContinue = isAwaitingContinue(exchange)
  // Before the connection is closed, the rest of the body must be read (see drainRequest).
  const closing = !response.shouldKeepAlive
  const drains = !awaitsContinue && (closing || request.readableFlowing !== null || error.status === 413)
  if (drains) await drainRequest(request)
  const headers = {
    ...error.headers,
    'content-type': JSON_TYPE,
    // The rest of the body may still arrive and would be read as the next request.
    ...((awaitsContinue || drains) && !request.complete ? { connection: 'close' } : {}),
  }
  writeResponse(exchange, { status: error.status, headers, body: formatErrorBody(error, id, method, url) })
}

/** Whether the client sent "Expect: 100-continue" and still waits for "100 Continue" before it sends the body. */
function isAwaitingContinue({ request }: Exchange): boolean {
  return request.headers.expect !== undefined && request.readableFlowing === null && !request.complete
}
