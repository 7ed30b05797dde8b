// Owns how keys, requests and secrets are named. Knows nothing of what they stand for.
import { createHash, randomBytes } from 'node:crypto'

const SECRET_PREFIX = 'tg-'
const SECRET_PATTERN = /^tg-[A-Za-z0-9_-]{43}$/

export function newKeyId(): string {
  return `key_${randomBytes(12).toString('hex')}`
}

export function newRequestId(): string {
  return `req_${randomBytes(12).toString('hex')}`
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
