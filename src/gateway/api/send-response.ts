import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Log } from '../platform/log.ts'
import { drainRequest } from './drain-request.ts'
import { formatErrorBody } from './error-body.ts'
import { toGatewayError } from './errors.ts'
import { clearHeaders, commonHeaders, encodeHeaders } from './response-headers.ts'

export const JSON_TYPE = 'application/json; charset=utf-8'

export interface CompleteResponse {
  status: number
  headers: Readonly<Record<string, string>>
  body: string | Buffer
}

export function writeResponse(raw: ServerResponse, { status, headers, body }: CompleteResponse): void {
  raw.writeHead(status, { ...encodeHeaders(headers), 'content-length': Buffer.byteLength(body) }).end(body)
}

/** Sends a response without Fastify's `reply.send`, whose own exceptions do not reach the error handler. */
export function sendResponse(reply: FastifyReply, answer: CompleteResponse): void {
  writeResponse(reply.raw, answer)
  // Not earlier: Fastify ignores exceptions after hijack.
  reply.hijack()
}

/** Sends an error response. Closes the connection when a response was already started or cannot be sent. */
export function sendError(thrown: unknown, request: FastifyRequest, reply: FastifyReply, log: Log): void {
  reply.hijack()
  const { raw } = reply
  const requestLog = log.child({ requestId: request.id })
  writeError(thrown, request, raw, requestLog).catch((err: unknown) => {
    requestLog.error('An error response could not be sent', { err })
    raw.destroy()
  })
}

async function writeError(
  thrown: unknown,
  request: FastifyRequest,
  raw: ServerResponse,
  log: Log,
): Promise<void> {
  const error = toGatewayError(thrown, log)
  // A complete response that is still being sent may arrive.
  if (raw.writableEnded) return
  if (raw.headersSent || raw.destroyed) return void raw.destroy()
  const awaitsContinue = isAwaitingContinue(request.raw)
  // Before the connection is closed, the rest of the body must be read (see drainRequest).
  const closing = !raw.shouldKeepAlive
  const drains = !awaitsContinue && (closing || request.raw.readableFlowing !== null || error.status === 413)
  if (drains) await drainRequest(request.raw)
  clearHeaders(raw)
  const headers = {
    ...commonHeaders(request.id),
    ...error.headers,
    'content-type': JSON_TYPE,
    // The rest of the body may still arrive and would be read as the next request.
    ...((awaitsContinue || drains) && !request.raw.complete ? { connection: 'close' } : {}),
  }
  const body = formatErrorBody(error, request.id, request.method, request.raw.url ?? '')
  writeResponse(raw, { status: error.status, headers, body })
}

/** Whether the client sent "Expect: 100-continue" and still waits for "100 Continue" before it sends the body. */
function isAwaitingContinue(request: IncomingMessage): boolean {
  return request.headers.expect !== undefined && request.readableFlowing === null && !request.complete
}
