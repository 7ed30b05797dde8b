// Owns the sending of a complete answer, good or bad. Nothing that goes wrong here reaches beyond the one request.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Log } from '../platform/log.ts'
import { readAway } from './drain-request.ts'
import { errorText } from './error-body.ts'
import { toGatewayError } from './errors.ts'
import { clearHeaders, commonHeaders, safeHeaders } from './response-headers.ts'

export const JSON_TYPE = 'application/json; charset=utf-8'

export interface WholeAnswer {
  status: number
  headers: Readonly<Record<string, string>>
  body: string | Buffer
}

export function sendWhole(raw: ServerResponse, { status, headers, body }: WholeAnswer): void {
  raw.writeHead(status, { ...safeHeaders(headers), 'content-length': Buffer.byteLength(body) }).end(body)
}

/** Sends an answer past the framework, which would throw out of reach of its own error handler. */
export function sendAnswer(reply: FastifyReply, answer: WholeAnswer): void {
  sendWhole(reply.raw, answer)
  // Not before: the framework says nothing of what is thrown after it.
  reply.hijack()
}

/** Answers whatever was thrown. Where an answer has begun, or cannot be sent, the connection is closed. */
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
  // An answer that is on its way and whole may arrive.
  if (raw.writableEnded) return
  if (raw.headersSent || raw.destroyed) return void raw.destroy()
  const waits = waitsToBeAsked(request.raw)
  // A connection that is closed after the answer is one that the rest of the body must be off first.
  const closing = !raw.shouldKeepAlive
  const reading = !waits && (closing || request.raw.readableFlowing !== null || error.status === 413)
  if (reading) await readAway(request.raw)
  clearHeaders(raw)
  const headers = {
    ...commonHeaders(request.id),
    ...error.headers,
    'content-type': JSON_TYPE,
    // Whether the rest of the body is still to come, nobody knows.
    ...((waits || reading) && !request.raw.complete ? { connection: 'close' } : {}),
  }
  const body = errorText(error, request.id, request.method, request.raw.url ?? '')
  sendWhole(raw, { status: error.status, headers, body })
}

/** The client keeps its body until it is told to go on ("Expect: 100-continue"), and it was not. */
function waitsToBeAsked(request: IncomingMessage): boolean {
  return request.headers.expect !== undefined && request.readableFlowing === null && !request.complete
}
