import { ClientDisconnected } from '../inference/in-flight.ts'
import { invalidRequest } from '../platform/errors.ts'
import type { BodyMemory } from './body-memory-limit.ts'
import type { Exchange } from './exchange.ts'

const MAX_BODY_BYTES = 32 * 1024 * 1024
const NO_BODY = Buffer.alloc(0)
const FILE_TYPE = /^application\/(vnd\.sqlite3|x-sqlite3|octet-stream)\s*(;|$)/i
const READABLE_TYPE = /^(application\/json|multipart\/form-data)\s*(;|$)/i

/**
 * The body of a request, which takes `memory` until the response is closed; empty if it has none. Throws 415 for a body that
 * is neither JSON nor a form, or compressed, 413 above 32 MB, 503 when all bodies together take too much memory, and
 * ClientDisconnected.
 */
export function readBody(
  { request, response, method }: Exchange,
  memory: BodyMemory,
): Buffer | Promise<Buffer> {
  if (method === 'GET' || method === 'HEAD') return NO_BODY
  const { 'content-type': type, 'content-length': length, 'transfer-encoding': transfer } = request.headers
  if (type === undefined && transfer === undefined && (length ?? '0') === '0') return NO_BODY
  if (!READABLE_TYPE.test(type ?? '')) throw mustBeJson()
  rejectCompressed(request.headers['content-encoding'])
  if (length !== undefined) {
    if (Number(length) > MAX_BODY_BYTES) throw bodyTooLarge()
    memory.check(Number(length))
  }
  response.on('close', () => memory.release())
  // After all checks, so that a client does not send a body that is rejected.
  if (request.headers.expect !== undefined) response.writeContinue()
  return collectBody(request, memory)
}

function collectBody(request: Exchange['request'], memory: BodyMemory): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const stop = () => request.off('data', onData).off('end', onEnd).off('close', onClose)
    const onData = (chunk: Buffer) => {
      length += chunk.byteLength
      chunks.push(chunk)
      try {
        if (length > MAX_BODY_BYTES) throw bodyTooLarge()
        memory.reserve(chunk.byteLength)
      } catch (error) {
        stop()
        reject(error)
      }
    }
    const onEnd = () => {
      stop()
      const [only] = chunks
      resolve(only && chunks.length === 1 ? only : Buffer.concat(chunks, length))
    }
    const onClose = () => {
      stop()
      reject(new ClientDisconnected())
    }
    request.on('data', onData).on('end', onEnd).on('close', onClose)
  })
}

function rejectCompressed(encoding = 'identity'): void {
  if (encoding.toLowerCase() === 'identity') return
  throw invalidRequest(
    `The body is compressed ("Content-Encoding: ${encoding.slice(0, 50)}"). Send it uncompressed.`,
    { status: 415, headers: { 'accept-encoding': 'identity' } },
  )
}

/** Throws 415 for a body that is not a file, or compressed. */
export function requireFile({ headers }: Exchange['request']): void {
  if (!FILE_TYPE.test(headers['content-type'] ?? '')) {
    throw invalidRequest('The body must be a database file: send "Content-Type: application/vnd.sqlite3".', {
      status: 415,
    })
  }
  rejectCompressed(headers['content-encoding'])
}

export function mustBeJson() {
  return invalidRequest('The body must be JSON: send "Content-Type: application/json".', { status: 415 })
}

function bodyTooLarge() {
  return invalidRequest('The request body is larger than 32 MB.', { status: 413 })
}
