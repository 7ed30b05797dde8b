// Owns which of a provider's configured headers are secrets. Those are kept as credentials are, never in the database.
import { MAX_CREDENTIAL_BYTES } from '../../shared/providers.ts'
import { invalidRequest } from '../platform/errors.ts'

export type Headers = Readonly<Record<string, string>>

/** Broad on purpose: a harmless header among the secrets costs nothing. */
const SECRET_NAME = /auth|key|token|secret|pass|pwd|cookie|credential|session|signature/i
/** What `Authorization` carries is a secret under any name: https://www.rfc-editor.org/rfc/rfc9110#section-11.4 */
const SECRET_VALUE = /^(bearer|basic|token|digest)\s/i

export function splitHeaders(headers: Headers): { plain: Headers; secret: Headers } {
  const isSecret = ([name, value]: [string, string]) => SECRET_NAME.test(name) || SECRET_VALUE.test(value)
  const all = Object.entries(headers)
  return {
    plain: Object.fromEntries(all.filter((header) => !isSecret(header))),
    secret: Object.fromEntries(all.filter(isSecret)),
  }
}

/** The text of one entry in the keychain. Throws 400 when that would be too long for one. */
export function writeSecretHeaders(headers: Headers): string {
  const text = JSON.stringify(headers)
  if (Buffer.byteLength(text) > MAX_CREDENTIAL_BYTES) {
    throw invalidRequest(
      `The headers that carry credentials (${Object.keys(headers).join(', ')}) are kept together in one entry of the keychain, which holds ${MAX_CREDENTIAL_BYTES} bytes. Make them shorter.`,
      { param: 'headers' },
    )
  }
  return text
}

/** What `writeSecretHeaders` has written; null for anything else. */
export function readSecretHeaders(text: string): Headers | null {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null) return null
    const entries = Object.entries(value).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    )
    return Object.fromEntries(entries)
  } catch {
    return null
  }
}
