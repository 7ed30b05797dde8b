// Owns the shapes of API keys on the wire. Knows nothing of secrets at rest, spend rules or storage.
import { z } from 'zod'

const SCOPES = ['full', 'read-only', 'completions-only', 'admin'] as const
export const Scope = z.enum(SCOPES)
export type Scope = z.infer<typeof Scope>

const NAME_MAX = 100

export const KeyName = z
  .string()
  .refine((name) => [...name].length >= 1 && [...name].length <= NAME_MAX, {
    error: `must have 1 to ${NAME_MAX} characters`,
  })
  .refine((name) => !/[\p{Cc}\p{Cs}]/u.test(name), { error: 'must not contain control characters' })

/** A lifetime cap in USD. Null means no cap. */
const SpendLimit = z.number().nonnegative().nullable()
const RateLimit = z.int().positive().nullable()

export const KeyCreate = z.strictObject({
  name: KeyName,
  scope: Scope,
  spendLimitUsd: SpendLimit.optional(),
  rpmLimit: RateLimit.optional(),
  tpmLimit: RateLimit.optional(),
})
export type KeyCreate = z.infer<typeof KeyCreate>

export const KeyUpdate = z.strictObject({
  name: KeyName.optional(),
  spendLimitUsd: SpendLimit.optional(),
  rpmLimit: RateLimit.optional(),
  tpmLimit: RateLimit.optional(),
})
export type KeyUpdate = z.infer<typeof KeyUpdate>

export const KeyMetadata = z.object({
  id: z.string(),
  name: z.string(),
  scope: Scope,
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime().nullable(),
  revokedAt: z.iso.datetime().nullable(),
  spendUsd: z.number(),
  reservedUsd: z.number(),
  spendLimitUsd: z.number().nullable(),
  rpmLimit: z.number().nullable(),
  tpmLimit: z.number().nullable(),
})
export type KeyMetadata = z.infer<typeof KeyMetadata>

export const KeyCreated = z.object({
  id: z.string(),
  secret: z.string(),
  name: z.string(),
  scope: Scope,
  createdAt: z.iso.datetime(),
})
export type KeyCreated = z.infer<typeof KeyCreated>

export const KeyList = z.object({ data: z.array(KeyMetadata) })

/** The calling key's own view: its metadata, and what is left of its cap (null without one). */
export const CallingKey = KeyMetadata.extend({ remainingUsd: z.number().nullable() })
export type CallingKey = z.infer<typeof CallingKey>
