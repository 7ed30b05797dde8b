import { createHash, createPublicKey, type KeyObject } from 'node:crypto'
import type { PublicKey } from '../../../shared/receipts.ts'
import { canonicalJson } from './canonical-json.ts'

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
