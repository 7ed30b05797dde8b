import { createHash, createPublicKey, type KeyObject } from 'node:crypto'
import type { PublicKey } from '../../../shared/api/receipts.ts'

/**
 * JSON in the canonical form of RFC 8785: members in the order of their UTF-16 code units, no white space, numbers and
 * texts as ECMAScript writes them. Throws a TypeError for what JSON cannot represent, and for lone surrogates.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError('a number is out of range')
    return JSON.stringify(value)
  }
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw new TypeError('a text is not valid Unicode')
    return JSON.stringify(value)
  }
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value === 'object') {
    const members = Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => `${canonicalJson(name)}:${canonicalJson(member)}`)
    return `{${members.join(',')}}`
  }
  throw new TypeError(`JSON has no ${typeof value}`)
}

const KEY_BYTES = 32

/** The JSON Web Key of 32 bytes in base64url. */
export function publicKey(x: string): PublicKey {
  return { kty: 'OKP', crv: 'Ed25519', x }
}

/** RFC 7638: SHA-256 of the canonical JSON of the key's required members, which are all of it. */
export function thumbprint({ kty, crv, x }: PublicKey): string {
  return createHash('sha256').update(canonicalJson({ kty, crv, x })).digest('base64url')
}

/** Null for a key that is not written in the only way in which it can be. */
export function importPublicKey(key: PublicKey): KeyObject | null {
  const bytes = Buffer.from(key.x, 'base64url')
  if (bytes.length !== KEY_BYTES || bytes.toString('base64url') !== key.x) return null
  try {
    return createPublicKey({ key, format: 'jwk' })
  } catch {
    return null
  }
}
