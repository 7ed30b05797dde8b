// Owns the reading of request bodies: only of requests that are let in, only plain JSON, counted as they come.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ClientDisconnected } from '../inference/in-flight.ts'
import { invalidRequest } from '../platform/errors.ts'
import type { BodyHold } from './body-memory-limit.ts'

const MAX_BODY_BYTES = 32 * 1024 * 1024

/** What reading a body takes besides the request. */
export interface BodyPlace {
  response: ServerResponse
  /** What its bytes are counted against. Given back when the answer is over: until then they are in use. */
  hold: BodyHold
}

export function installBodyReader(
  app: FastifyInstance,
  placeOf: (request: IncomingMessage) => BodyPlace | undefined,
): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', async ({ raw }: FastifyRequest) => {
    const place = placeOf(raw)
    // Nobody has looked at who calls what is no operation, as a preflight.
    return place && readBody(raw, place)
  })
}

/** Throws 415 for a compressed body, 413 above 32 MB, 503 when all bodies together are too many, and ClientDisconnected. */
async function readBody(request: IncomingMessage, { response, hold }: BodyPlace): Promise<Buffer> {
  const { 'content-length': announced, 'content-encoding': encoding = 'identity', expect } = request.headers
  if (encoding.toLowerCase() !== 'identity') {
    throw invalidRequest(
      `The body is compressed ("Content-Encoding: ${encoding.slice(0, 50)}"). Send it uncompressed.`,
      { status: 415, headers: { 'accept-encoding': 'identity' } },
    )
  }
  if (announced !== undefined) {
    if (Number(announced) > MAX_BODY_BYTES) throw tooLarge()
    hold.check(Number(announced))
  }
  response.once('close', hold.release)
  // Only now: until here the client could be told to keep its body.
  if (expect !== undefined) response.writeContinue()
  return collect(request, hold)
}

function collect(request: IncomingMessage, hold: BodyHold): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const settle = (then: () => void) => {
      request.off('data', take).off('end', end).off('error', leave).off('close', leave)
      then()
    }
    const take = (chunk: Buffer) => {
      length += chunk.byteLength
      try {
        if (length > MAX_BODY_BYTES) throw tooLarge()
        hold.take(chunk.byteLength)
        chunks.push(chunk)
      } catch (error) {
        settle(() => reject(error))
      }
    }
    const end = () => settle(() => resolve(Buffer.concat(chunks, length)))
    const leave = () => settle(() => reject(new ClientDisconnected()))
    request.on('data', take).on('end', end).on('error', leave).on('close', leave)
  })
}

function tooLarge() {
  return invalidRequest('The request body is larger than 32 MB.', { status: 413 })
}
