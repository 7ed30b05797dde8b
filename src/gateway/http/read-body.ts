import { GatewayError, invalidRequest } from '../platform/errors.ts'
import { ClientDisconnected } from '../request/in-flight.ts'
import type { RequestContext } from './request-context.ts'

export const MAX_BODY_BYTES = 32 * 1024 * 1024
const NO_BODY = Buffer.alloc(0)
const READABLE_TYPE = /^(application\/json|multipart\/form-data)\s*(;|$)/i

/**
 * The body of a request, which takes `memory` until the response is closed; empty if it has none. Throws 415 for a body that
 * is neither JSON nor a form, or compressed, 413 above 32 MB, 503 when all bodies together take too much memory, and
 * ClientDisconnected.
 */
export function readBody(
  { request, response, method }: RequestContext,
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

function collectBody(request: RequestContext['request'], memory: BodyMemory): Promise<Buffer> {
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

/** A body that is a file of any length up to `maxBytes`. */
export interface FileBody {
  types: RegExp
  /** Encodings in which the bytes may be compressed; none if absent. */
  encodings?: readonly string[]
  maxBytes: number
  /** The error for another media type. */
  otherType: string
  tooLarge: string
}

export const DATABASE_FILE: FileBody = {
  types: /^application\/(vnd\.sqlite3|x-sqlite3|octet-stream)\s*(;|$)/i,
  maxBytes: 4 * 1024 ** 3,
  otherType: 'The body must be a database file: send "Content-Type: application/vnd.sqlite3".',
  tooLarge: 'The file is larger than 4 GB.',
}

/** The bytes of a file as they arrive. Throws 413 and 415, and while they are read 413 and ClientDisconnected. */
export function readFileBody(
  { request, response }: RequestContext,
  file: FileBody,
): AsyncIterable<Uint8Array> {
  const { headers } = request
  if (!file.types.test(headers['content-type'] ?? '')) throw invalidRequest(file.otherType, { status: 415 })
  const encoding = headers['content-encoding']
  if (!file.encodings?.includes(encoding?.toLowerCase() ?? 'identity')) rejectCompressed(encoding)
  if (Number(headers['content-length'] ?? 0) > file.maxBytes) throw tooLarge(file)
  if (headers.expect !== undefined) response.writeContinue()
  return limitBytes(request, file)
}

async function* limitBytes(request: RequestContext['request'], file: FileBody): AsyncGenerator<Uint8Array> {
  let bytes = 0
  try {
    for await (const chunk of request) {
      bytes += chunk.byteLength
      if (bytes > file.maxBytes) throw tooLarge(file)
      yield chunk
    }
  } catch (thrown) {
    if (request.destroyed && !request.complete) throw new ClientDisconnected()
    throw thrown
  }
}

function tooLarge({ tooLarge: message }: FileBody): GatewayError {
  return invalidRequest(message, { status: 413 })
}

export function mustBeJson() {
  return invalidRequest('The body must be JSON: send "Content-Type: application/json".', { status: 415 })
}

function bodyTooLarge() {
  return invalidRequest('The request body is larger than 32 MB.', { status: 413 })
}

const MAX_TOTAL_BYTES = 256 * 1024 * 1024

/** The memory that one request's body takes. */
export interface BodyMemory {
  /** Throws 503 when there is not enough memory for `bytes` more. */
  check(bytes: number): void
  /** Checks as `check` does, and reserves the bytes. */
  reserve(bytes: number): void
  release(): void
}

/**
 * Limits the memory of all request bodies together. One key may use at most as much as is still free then: half of the
 * total when it is alone, less when others use more. So a single key cannot block the others.
 */
export class BodyMemoryLimit {
  readonly #maxBytes: number
  readonly #bytesByKey = new Map<string, number>()
  #totalBytes = 0

  constructor(maxBytes = MAX_TOTAL_BYTES) {
    this.#maxBytes = maxBytes
  }

  forRequest(keyId: string): BodyMemory {
    let reserved = 0
    const check = (bytes: number) => {
      if (this.#usedBy(keyId) + bytes > this.#maxBytes - this.#totalBytes - bytes) throw busy()
    }
    return {
      check,
      reserve: (bytes) => {
        check(bytes)
        reserved += bytes
        this.#add(keyId, bytes)
      },
      release: () => {
        this.#add(keyId, -reserved)
        reserved = 0
      },
    }
  }

  #add(keyId: string, bytes: number): void {
    const used = this.#usedBy(keyId) + bytes
    this.#totalBytes += bytes
    if (used === 0) this.#bytesByKey.delete(keyId)
    else this.#bytesByKey.set(keyId, used)
  }

  #usedBy(keyId: string): number {
    return this.#bytesByKey.get(keyId) ?? 0
  }
}

/** For the owner and admin keys, whom other keys must not block. */
export const UNLIMITED: BodyMemory = { check() {}, reserve() {}, release() {} }

function busy(): GatewayError {
  return new GatewayError({
    status: 503,
    message:
      'The bodies of running requests use all the memory that this key may have. Try again when some of them are finished.',
    code: 'busy',
    headers: { 'retry-after': '1' },
  })
}
