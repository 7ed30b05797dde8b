import type { KeyMetadata } from '../../../shared/api/keys.ts'
import { formatCount, formatDay, formatTime } from '../../kit/format.ts'

/** The end of the secret, by which a key in a file can be recognized; null when it is not known. */
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

/** "only claude-*", "only 3 models"; an empty string when all are allowed. */
export function formatAllowedModels({ allowedModels }: KeyMetadata): string {
  if (allowedModels === null) return ''
  return allowedModels.length === 1 ? `only ${allowedModels[0]}` : `only ${allowedModels.length} models`
}

/** "Ends at 14:02", "Ends on 30 Nov" or "Ended". */
export function formatEnd(expiresAt: string, nowMs: number, zone?: string): string {
  const leftMs = Date.parse(expiresAt) - nowMs
  if (leftMs <= 0) return 'Ended'
  // Midnight is the end of the day before.
  return leftMs < 86_400_000
    ? `Ends at ${formatTime(expiresAt, zone)}`
    : `Ends on ${formatDay(new Date(Date.parse(expiresAt) - 1).toISOString(), nowMs, zone)}`
}
