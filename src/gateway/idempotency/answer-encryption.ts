import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Derived from the caller's own secret, which is not stored, so Tollgate itself cannot read a stored answer back. */
function deriveKey(secret: string, id: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, id, 'tollgate idempotent answer v1', 32))
}

/** Nonce, ciphertext, tag. Each `id` has its own key. */
export function encrypt(secret: string, id: string, text: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', deriveKey(secret, id), nonce)
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
}

/** Null when it was encrypted with another secret: the window's own secret lasts only as long as its process. */
export function decrypt(secret: string, id: string, sealed: Buffer): string | null {
  const decipher = createDecipheriv('aes-256-gcm', deriveKey(secret, id), sealed.subarray(0, NONCE_BYTES))
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
  const text = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES))
  try {
    return Buffer.concat([text, decipher.final()]).toString('utf8')
  } catch {
    return null
  }
}
