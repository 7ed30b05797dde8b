// The key of a Google service account. Source: Google Cloud's documentation, "Create and delete service account keys".
import { isObject, parseJson } from '../../formats/json/json.ts'

export interface ServiceAccountKey {
  client_email: string
  private_key: string
  private_key_id?: string
  token_uri?: string
}

/** Reads the JSON file that Google creates for a service account; null for anything else. */
export function parseServiceAccountKey(text: string): ServiceAccountKey | null {
  const value = parseJson(text)
  if (!isObject(value)) return null
  const { client_email, private_key, private_key_id, token_uri } = value
  if (typeof client_email !== 'string' || typeof private_key !== 'string') return null
  if (client_email === '' || !private_key.includes('PRIVATE KEY')) return null
  return {
    client_email,
    private_key,
    ...(typeof private_key_id === 'string' && { private_key_id }),
    ...(typeof token_uri === 'string' && { token_uri }),
  }
}

/** The key without the members that are not needed, so that it fits into an entry of every keychain. */
export function shortenServiceAccountKey(text: string): string | null {
  const key = parseServiceAccountKey(text)
  return key && JSON.stringify(key)
}
