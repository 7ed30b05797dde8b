import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ClientDisconnected } from '../inference/in-flight.ts'
import { invalidRequest } from '../platform/errors.ts'
import type { BodyMemory } from './body-memory-limit.ts'

const MAX_BODY_BYTES = 32 * 1024 * 1024

interface BodyContext {
  response: ServerResponse
  /** The memory for the body. Released when the response is closed, as the body is in use until then. */
  memory: BodyMemory
}

/** Reads the bodies of requests with a context, that is, of authenticated calls to an operation. Others are ignored. */
export function registerBodyParser(
  app: FastifyInstance,
  contextOf: (request: IncomingMessage) => BodyContext | undefined,
): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(['application/json', 'multipart/form-data'], async ({ raw }: FastifyRequest) => {
    const context = contextOf(raw)
    return context && readBody(raw, context)
  })
}

/** Throws 415 for a compressed body, 413 above 32 MB, 503 when all bodies together take too much memory, and ClientDisconnected. */
async function readBody(request: IncomingMessage, { response, memory }: BodyContext): Promise<Buffer> {
  const { 'content-length': length, 'content-encoding': encoding = 'identity', expect } = request.headers
  if (encoding.toLowerCase() !== 'identity') {
    throw invalidRequest(
      `The body is compressed ("Content-Encoding: ${encoding.slice(0, 50)}"). Send it uncompressed.`,
      { status: 415, headers: { 'accept-encoding': 'identity' } },
    )
  }
  if (length !== undefined) {
    if (Number(length) > MAX_BODY_BYTES) throw bodyTooLarge()
    memory.check(Number(length))
  }
  response.once('close', memory.release)
  // After all checks, so that a client does not send a body that is rejected.
  if (expect !== undefined) response.writeContinue()
  return collectBody(request, memory)
}

function collectBody(request: IncomingMessage, memory: BodyMemory): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const settle = (then: () => void) => {
      request.off('data', onData).off('end', onEnd).off('error', onClose).off('close', onClose)
      then()
    }
    const onData = (chunk: Buffer) => {
      length += chunk.byteLength
      try {
        if (length > MAX_BODY_BYTES) throw bodyTooLarge()
        memory.reserve(chunk.byteLength)
        chunks.push(chunk)
      } catch (error) {
        settle(() => reject(error))
      }
    }
    const onEnd = () => settle(() => resolve(Buffer.concat(chunks, length)))
    const onClose = () => settle(() => reject(new ClientDisconnected()))
    request.on('data', onData).on('end', onEnd).on('error', onClose).on('close', onClose)
  })
}

function bodyTooLarge() {
  return invalidRequest('The request body is larger than 32 MB.', { status: 413 })
}
