import type { IncomingMessage } from 'node:http'
import { clientCodecs } from '../formats/codecs.ts'
import type { GatewayError } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import { findErrorFormat } from './endpoints.ts'
import { toGatewayError } from './errors.ts'
import type { RequestContext } from './request-context.ts'
import { encodeHeaders } from './response-headers.ts'

export const JSON_TYPE = 'application/json; charset=utf-8'

export interface CompleteResponse {
  status: number
  headers: Readonly<Record<string, string>>
  body: string | Buffer
}

/** Sends a response in one piece. */
export function writeResponse(
  { response, headers: common }: Pick<RequestContext, 'response' | 'headers'>,
  { status, headers, body }: CompleteResponse,
): void {
  const length = Buffer.byteLength(body)
  response.writeHead(status, { ...common, ...encodeHeaders(headers), 'content-length': length }).end(body)
}

/** Sends an error response. Closes the connection when a response was already started or cannot be sent. */
export function sendError(thrown: unknown, context: RequestContext, log: Log): void {
  const requestLog = log.child({ requestId: context.id })
  writeError(thrown, context, requestLog).catch((err: unknown) => {
    requestLog.error('An error response could not be sent', { err })
    context.response.destroy()
  })
}

async function writeError(thrown: unknown, context: RequestContext, log: Log): Promise<void> {
  const error = toGatewayError(thrown, log)
  const { request, response, method, url, id } = context
  // A complete response that is still being sent may arrive.
  if (response.writableEnded) return
  if (response.headersSent || response.destroyed) return void response.destroy()
  const awaitsContinue = isAwaitingContinue(context)
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
  writeResponse(context, { status: error.status, headers, body: formatErrorBody(error, id, method, url) })
}

/** Whether the client sent "Expect: 100-continue" and still waits for "100 Continue" before it sends the body. */
function isAwaitingContinue({ request }: RequestContext): boolean {
  return request.headers.expect !== undefined && request.readableFlowing === null && !request.complete
}

const MAX_BYTES = 64 * 1024 * 1024
const MAX_MS = 5_000

/**
 * Reads and discards the rest of a rejected body. Closing the connection on a client that is still sending resets it, and
 * the client would lose the response. Resolves at the end of the body, or when it is too long or too slow.
 */
function drainRequest(request: IncomingMessage): Promise<void> {
  if (request.readableEnded || request.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    let remaining = MAX_BYTES
    const stop = () => {
      clearTimeout(timer)
      request.off('data', discard)
      for (const event of ENDS) request.off(event, stop)
      resolve()
    }
    const discard = (chunk: Buffer) => {
      remaining -= chunk.byteLength
      if (remaining < 0) stop()
    }
    const timer = setTimeout(stop, MAX_MS)
    for (const event of ENDS) request.once(event, stop)
    request.on('data', discard)
  })
}

const ENDS = ['end', 'error', 'close'] as const

/** The body of an error response, in the format that clients of this URL expect. */
function formatErrorBody(
  { status, body }: GatewayError,
  requestId: string,
  method: string,
  url: string,
): string {
  return JSON.stringify(clientCodecs[findErrorFormat(method, url)].errorBody(body, status, requestId))
}
