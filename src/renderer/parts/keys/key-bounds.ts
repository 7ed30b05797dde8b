// The common fields in the forms of a key besides its name and cap: limits, project, allowed models and end date.
import { useState } from 'react'
import { NO_KEY_OPTIONS } from '../../../shared/api/key-options.ts'
import type { KeyMetadata, KeyUpdate } from '../../../shared/api/keys.ts'
import { type LimitDraft, parseDrafts, toDrafts } from '../limits/limit-draft.ts'

export interface KeyBounds {
  limits: LimitDraft[]
  tag: string
  /** None: all. */
  allowedModels: readonly string[]
  expiresAt: string | null
}

type BoundFields = Pick<KeyMetadata, 'spendLimits' | 'tag' | 'allowedModels' | 'expiresAt'>

export function useKeyBounds(key: BoundFields = NO_KEY_OPTIONS) {
  return useState<KeyBounds>(() => ({
    limits: toDrafts(key.spendLimits),
    tag: key.tag ?? '',
    allowedModels: key.allowedModels ?? [],
    expiresAt: key.expiresAt,
  }))
}

/** The fields of the API; null if a limit has a mistake. */
export function parseBounds({ limits, tag, allowedModels, expiresAt }: KeyBounds) {
  const spendLimits = parseDrafts(limits)
  if (spendLimits === null) return null
  return {
    spendLimits,
    tag: tag.trim() === '' ? null : tag.trim(),
    allowedModels: allowedModels.length === 0 ? null : [...allowedModels],
    expiresAt,
  } satisfies KeyUpdate
}

/** The bounds that a new key does not have anyway. */
export function onlyGiven(bounds: NonNullable<ReturnType<typeof parseBounds>>): Partial<typeof bounds> {
  const { spendLimits, tag, allowedModels, expiresAt } = bounds
  return {
    ...(spendLimits.length === 0 ? {} : { spendLimits }),
    ...(tag === null ? {} : { tag }),
    ...(allowedModels === null ? {} : { allowedModels }),
    ...(expiresAt === null ? {} : { expiresAt }),
  }
}
