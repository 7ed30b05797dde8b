import { KeyMetadata } from '../../shared/api/keys.ts'
import type { SpendLimitState } from '../../shared/api/spend-limits.ts'
import { type NanoUsd, nanoToUsd } from '../../shared/money/money.ts'
import type { MatchesModel } from '../../shared/values/model-pattern.ts'
import { formatTime } from '../platform/clock.ts'
import { pickFields } from '../platform/fields.ts'
import type { StoredKey } from '../store/store.ts'

/** A key in memory: the stored row, and what running requests have reserved. */
export interface KeyState extends StoredKey {
  reservedNano: NanoUsd
  /** The cap in nano-dollars; null without one. */
  limitNano: NanoUsd | null
  /** Which models may serve its requests; null for all. */
  modelMatcher: MatchesModel | null
  /** It was seen to have expired, whatever the clock says now. */
  expirySeen: boolean
}

/** A key as the API shows it, with the states of its `spendLimits`. */
export function toMetadata(key: KeyState, spendLimits: SpendLimitState[]): KeyMetadata {
  return {
    ...pickFields(key, KeyMetadata),
    createdAt: formatTime(key.createdAt),
    lastUsedAt: formatTime(key.lastUsedAt),
    revokedAt: formatTime(key.revokedAt),
    spendUsd: nanoToUsd(key.spendNano),
    reservedUsd: nanoToUsd(key.reservedNano),
    spendLimits,
    allowedModels: key.allowedModels && [...key.allowedModels],
    expiresAt: formatTime(key.expiresAt),
    pausedAt: formatTime(key.pausedAt),
  }
}

/** The rest of the key's cap in USD; null without a cap. Never negative. */
export function computeRemainingUsd(key: KeyState): number | null {
  if (key.limitNano === null) return null
  // Too large for integers to count down from.
  if (!Number.isSafeInteger(key.limitNano)) return key.spendLimitUsd
  return nanoToUsd(Math.max(0, key.limitNano - key.spendNano - key.reservedNano) as NanoUsd)
}
