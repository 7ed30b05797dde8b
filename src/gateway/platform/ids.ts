import { isUtf8 } from 'node:buffer'
import { createHash, randomBytes, randomFillSync } from 'node:crypto'
import { printable } from '../../shared/values/text.ts'

const SECRET_PREFIX = 'tg-'
const SECRET_PATTERN = /^tg-[A-Za-z0-9_-]{43}$/

export function newKeyId(): string {
  return `key_${randomBytes(12).toString('hex')}`
}

const REQUEST_ID_BYTES = 16
const TIME_BYTES = 6
/** Random bytes for the next request ids: `randomBytes` would be a system call for each. */
const pool = Buffer.alloc(256 * REQUEST_ID_BYTES)
let used = pool.length

/** Begins with the time in milliseconds, so that the index of the ids grows at its end. */
export function newRequestId(): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  pool.writeUIntBE(Date.now(), used, TIME_BYTES)
  used += REQUEST_ID_BYTES
  return `req_${pool.toString('hex', used - REQUEST_ID_BYTES, used)}`
}

/** `tg-` and 43 base64url characters: 256 random bits. */
export function newSecret(): string {
  return SECRET_PREFIX + randomBytes(32).toString('base64url')
}

export function looksLikeSecret(text: string): boolean {
  return SECRET_PATTERN.test(text)
}

/** SHA-256. The secret has 256 random bits, so a slow or salted hash would not make it safer. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

/** `X-Service-Request-Id` is the documented header; OpenAI's SDKs read `X-Request-Id`, Anthropic's `Request-Id`. */
export function requestIdHeaders(requestId: string): Record<string, string> {
  return { 'x-service-request-id': requestId, 'x-request-id': requestId, 'request-id': requestId }
}

/**
 * Tollgate's own keys and the providers' keys. In a JSON string, an escape such as `\n` can come right before a key: its
 * letter must not hide the start of the key.
 */
const SECRETS = /(?<=\\[bfnrt]|\b)(?:(?:tg|sk|pk|rk|gsk|xai|hf|nvapi|pplx|csk)[-_]|AIza)[\w-]{16,}/g

/** Replaces everything that looks like an API key by "…". Takes plain text or JSON. */
export function redactSecrets(text: string): string {
  return text.replaceAll(SECRETS, '…')
}

/** Longer texts are cut before the patterns run, which would take too long. */
const MAX_SCANNED = 4_000

/** A text chosen by a caller, made safe to show and store: one line of at most `maxLength`, without API keys. */
export function callerText(text: string, maxLength: number): string {
  const line = redactSecrets(printable(text.slice(0, MAX_SCANNED)))
  return line.length > maxLength || text.length > MAX_SCANNED ? `${line.slice(0, maxLength)}…` : line
}

/** Node reads headers as Latin-1, while clients send UTF-8. */
export function decodeHeader(value: string): string {
  const bytes = Buffer.from(value, 'latin1')
  return isUtf8(bytes) && bytes.toString('latin1') === value ? bytes.toString('utf8') : value
}
