// Headers of a provider that contain a secret are stored like credentials, never in the database.
import { MAX_CREDENTIAL_BYTES } from '../../../shared/providers.ts'
import { invalidRequest } from '../../platform/errors.ts'

export type Headers = Readonly<Record<string, string>>

/** Broad on purpose: treating a harmless header as a secret costs nothing. */
const SECRET_NAME = /auth|key|token|secret|pass|pwd|cookie|credential|session|signature/i
/** A value as in `Authorization` is a secret under any name: https://www.rfc-editor.org/rfc/rfc9110#section-11.4 */
const SECRET_VALUE = /^(bearer|basic|token|digest)\s/i

export function splitHeaders(headers: Headers): { plain: Headers; secret: Headers } {
  const isSecret = ([name, value]: [string, string]) => SECRET_NAME.test(name) || SECRET_VALUE.test(value)
  const all = Object.entries(headers)
  return {
    plain: Object.fromEntries(all.filter((header) => !isSecret(header))),
    secret: Object.fromEntries(all.filter(isSecret)),
  }
}

/** Encodes the headers for one keychain entry. Throws 400 when they are too long for it. */
export function writeSecretHeaders(headers: Headers): string {
  const text = JSON.stringify(headers)
  if (Buffer.byteLength(text) > MAX_CREDENTIAL_BYTES) {
    throw invalidRequest(
      `The headers that carry credentials (${Object.keys(headers).join(', ')}) are stored together in one keychain entry of at most ${MAX_CREDENTIAL_BYTES} bytes. Make them shorter.`,
      { param: 'headers' },
    )
  }
  return text
}

/** Decodes the text of `writeSecretHeaders`; null for anything else. */
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
