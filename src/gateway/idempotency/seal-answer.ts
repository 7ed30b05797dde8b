// Owns how an answer is sealed with a key derived from its caller's own secret, which is kept nowhere.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const NONCE_BYTES = 12
const TAG_BYTES = 16

function sealingKey(secret: string, id: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, id, 'tollgate idempotent answer v1', 32))
}

/** Nonce, ciphertext, tag. `id` names what is sealed: each has a key of its own. */
export function seal(secret: string, id: string, text: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', sealingKey(secret, id), nonce)
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
}

/** Null when another secret has sealed it: the window's own secret lasts as long as its process. */
export function unseal(secret: string, id: string, sealed: Buffer): string | null {
  const decipher = createDecipheriv('aes-256-gcm', sealingKey(secret, id), sealed.subarray(0, NONCE_BYTES))
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
  const text = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES))
  try {
    return Buffer.concat([text, decipher.final()]).toString('utf8')
  } catch {
    return null
  }
}
