import type { KeyMetadata } from '../../../shared/keys.ts'
import { formatCount } from '../../format.ts'

/** The end of the secret, by which a key in a file can be recognised; null when it is not known. */
export function formatSecretHint({ secretHint }: KeyMetadata): string | null {
  return secretHint === null ? null : `tg-…${secretHint}`
}

/** The key's own limits per minute; an empty string when it has none. */
export function formatKeyLimits({ rpmLimit, tpmLimit }: KeyMetadata): string {
  const rpm = rpmLimit === null ? [] : [`${formatCount(rpmLimit)} requests`]
  const tpm = tpmLimit === null ? [] : [`${formatCount(tpmLimit, true)} tokens`]
  const limits = [...rpm, ...tpm]
  return limits.length > 0 ? `${limits.join(', ')} per minute` : ''
}
