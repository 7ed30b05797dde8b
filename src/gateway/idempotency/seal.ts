// Seals stored answers with keys derived from the secrets of their callers. Those are not stored, so Tollgate itself cannot
// read a stored answer.
import { isUtf8 } from 'node:buffer'
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { z } from 'zod'

const NONCE_BYTES = 12
const TAG_BYTES = 16

export interface SealKey {
  /** The caller's bearer secret. */
  secret: string
  /** Each id has a key of its own. */
  id: string
  /** Keeps the keys of different uses apart. */
  purpose: string
}

function deriveKey({ secret, id, purpose }: SealKey): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, id, purpose, 32))
}

/** Returns nonce, ciphertext and tag of AES-256-GCM. */
export function seal(text: string, key: SealKey): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', deriveKey(key), nonce)
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
}

/** Null when it was sealed with another key. */
export function unseal(sealed: Uint8Array, key: SealKey): string | null {
  const bytes = Buffer.from(sealed)
  const decipher = createDecipheriv('aes-256-gcm', deriveKey(key), bytes.subarray(0, NONCE_BYTES))
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
  const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES))
  try {
    return Buffer.concat([text, decipher.final()]).toString('utf8')
  } catch {
    return null
  }
}

/** A body in JSON: bytes that are not text are in base64. */
export const EncodedBody = z.object({
  body: z.string(),
  encoding: z.enum(['utf8', 'base64']).default('utf8'),
})
type EncodedBody = z.infer<typeof EncodedBody>

export function encodeBody(body: string | Buffer): EncodedBody {
  if (typeof body === 'string') return { body, encoding: 'utf8' }
  const encoding = isUtf8(body) ? 'utf8' : 'base64'
  return { body: body.toString(encoding), encoding }
}

export function decodeBody({ body, encoding }: EncodedBody): Buffer {
  return Buffer.from(body, encoding)
}
