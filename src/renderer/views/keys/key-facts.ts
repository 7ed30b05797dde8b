import type { KeyMetadata } from '../../../shared/keys.ts'
import { formatCount } from '../../format.ts'

/** The end of the secret, by which a key in a file can be recognised; null when it is not known. */
export function describeSecret({
  purpose,
  secretHint,
}: KeyMetadata): { text: string; isCode: boolean } | null {
  if (purpose === 'playground') return { text: 'For the playground', isCode: false }
  return secretHint === null ? null : { text: `tg-…${secretHint}`, isCode: true }
}

/** The key's own limits per minute; an empty string when it has none. */
export function formatKeyLimits({ rpmLimit, tpmLimit }: KeyMetadata): string {
  const rpm = rpmLimit === null ? [] : [`${formatCount(rpmLimit)} requests`]
  const tpm = tpmLimit === null ? [] : [`${formatCount(tpmLimit, true)} tokens`]
  const limits = [...rpm, ...tpm]
  return limits.length > 0 ? `${limits.join(', ')} a minute` : ''
}
