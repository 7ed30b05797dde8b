// The window reads this at its start, so it is apart from the schemas.
import type { KeyMetadata } from './keys.ts'

/** The options of a key that was given none. */
export const NO_KEY_OPTIONS = {
  spendLimitUsd: null,
  rpmLimit: null,
  tpmLimit: null,
  maxSubagents: null,
  storeBodies: null,
  tag: null,
  spendLimits: [],
  strict: false,
  allowedModels: null,
  expiresAt: null,
  guard: 'on',
  secretsInPrompts: 'note',
  responseCache: null,
  pausedAt: null,
  pauseReason: null,
} satisfies Partial<KeyMetadata>
