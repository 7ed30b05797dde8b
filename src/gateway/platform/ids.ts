// Owns how keys, requests and secrets are named. Knows nothing of what they stand for.
import { createHash, randomBytes, randomUUID } from 'node:crypto'

const SECRET_PREFIX = 'tg-'
const SECRET_PATTERN = /^tg-[A-Za-z0-9_-]{43}$/

export function newKeyId(): string {
  return `key_${randomBytes(12).toString('hex')}`
}

export function newRequestId(): string {
  // A UUID draws from entropy that Node has fetched ahead; asking for bytes each time is a system call.
  return `req_${randomUUID().replaceAll('-', '')}`
}

/** `tg-` and 43 base64url characters: 256 random bits. */
export function newSecret(): string {
  return SECRET_PREFIX + randomBytes(32).toString('base64url')
}

export function looksLikeSecret(text: string): boolean {
  return SECRET_PATTERN.test(text)
}

/** SHA-256 of a secret. With 256 random bits inside, a slow or salted hash would add nothing. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

/** The request id under the contract's header name and under the one that SDKs read. */
export function requestIdHeaders(requestId: string): Record<string, string> {
  return { 'x-service-request-id': requestId, 'x-request-id': requestId }
}
