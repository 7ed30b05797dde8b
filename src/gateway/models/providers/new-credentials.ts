import type { Authorization } from '../../../shared/authorization.ts'
import { MAX_CREDENTIAL_BYTES, type ProviderPut } from '../../../shared/providers.ts'
import { invalidRequest } from '../../platform/errors.ts'
import { parseAccessKey } from '../../upstream/authorization/expiring-cache.ts'
import { shortenServiceAccountKey } from '../../upstream/authorization/google-key.ts'

/**
 * The new credentials as they are stored; null when the patch has none. Throws 400 when it has both fields or a duplicate,
 * and for a credential that is too long for a keychain or not of the authorization's form.
 */
export function credentialsIn(
  { credential, credentials }: ProviderPut,
  authorization: Authorization | null,
): readonly string[] | null {
  if (credentials === undefined) {
    if (credential === undefined) return null
    return credential === null ? [] : [toStored(credential, authorization, 'credential')]
  }
  if (credential !== undefined) {
    throw invalidRequest('Give "credential" or "credentials", not both.', { param: 'credentials' })
  }
  const stored = credentials.map((each, index) => toStored(each, authorization, `credentials[${index}]`))
  if (new Set(stored).size < stored.length) {
    throw invalidRequest('"credentials" contains the same credential twice.', { param: 'credentials' })
  }
  return stored
}

function toStored(entered: string, authorization: Authorization | null, param: string): string {
  const stored = inForm(entered, authorization, param)
  if (Buffer.byteLength(stored) <= MAX_CREDENTIAL_BYTES) return stored
  throw invalidRequest(
    `The credential must be at most ${MAX_CREDENTIAL_BYTES} bytes, which is what keychains hold.`,
    { param },
  )
}

function inForm(entered: string, authorization: Authorization | null, param: string): string {
  if (authorization === 'aws-access-key' && parseAccessKey(entered) === null) {
    throw invalidRequest(
      'An AWS access key is entered as ACCESS_KEY_ID:SECRET_ACCESS_KEY. A temporary one ends with :SESSION_TOKEN.',
      { param },
    )
  }
  if (authorization !== 'google-service-account') return entered
  const shortened = shortenServiceAccountKey(entered)
  if (shortened !== null) return shortened
  throw invalidRequest(
    'This is not the JSON of a Google service account key. Paste the whole file that Google Cloud created for it.',
    { param },
  )
}
