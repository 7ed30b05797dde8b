import { z } from 'zod'

const SCOPES = ['full', 'read-only', 'completions-only', 'admin'] as const
export const Scope = z.enum(SCOPES).meta({ id: 'Scope', description: 'What an API key may do.' })
export type Scope = z.infer<typeof Scope>

const NAME_MAX = 100

/** As many as let a user recognise the key in a file, and too few to help anyone guess it. */
const HINT_LENGTH = 4

/** What of a secret is stored as it is. */
export function secretHintOf(secret: string): string {
  return secret.slice(-HINT_LENGTH)
}

export const KeyName = z
  .string()
  .refine((name) => [...name].length >= 1 && [...name].length <= NAME_MAX, {
    error: `must have 1 to ${NAME_MAX} characters`,
  })
  .refine((name) => !/[\p{Cc}\p{Cs}]/u.test(name), { error: 'must not contain control characters' })
  .describe(`1 to ${NAME_MAX} characters, without control characters.`)

const SpendLimit = z
  .number()
  .nonnegative()
  .nullable()
  .describe('The lifetime spend cap in USD; null for none.')
const RateLimit = z.int().positive().nullable()
const RequestLimit = RateLimit.describe("Requests per minute; null for no limit but the plan's.")
const TokenLimit = RateLimit.describe("Tokens per minute; null for no limit but the plan's.")

const StoreBodies = z
  .boolean()
  .nullable()
  .describe('Whether to store the prompts and responses of this key; null follows the settings.')

export const KeyCreate = z
  .strictObject({
    name: KeyName,
    scope: Scope,
    spendLimitUsd: SpendLimit.optional(),
    rpmLimit: RequestLimit.optional(),
    tpmLimit: TokenLimit.optional(),
    storeBodies: StoreBodies.optional(),
  })
  .meta({ id: 'ApiKeyCreate' })
export type KeyCreate = z.infer<typeof KeyCreate>

export const KeyUpdate = z
  .strictObject({
    name: KeyName.optional(),
    spendLimitUsd: SpendLimit.optional(),
    rpmLimit: RequestLimit.optional(),
    tpmLimit: TokenLimit.optional(),
    storeBodies: StoreBodies.optional(),
  })
  .meta({ id: 'ApiKeyUpdate' })
export type KeyUpdate = z.infer<typeof KeyUpdate>

export const KeyMetadata = z
  .object({
    id: z.string(),
    name: z.string(),
    scope: Scope,
    purpose: z
      .enum(['user', 'playground'])
      .describe("`playground`: pays for the chats of Tollgate's window; it has no secret."),
    secretHint: z
      .string()
      .max(HINT_LENGTH)
      .nullable()
      .describe(
        `The last ${HINT_LENGTH} characters of the secret; null for a key without a secret, or created by version 0.1.`,
      ),
    createdAt: z.iso.datetime(),
    lastUsedAt: z.iso.datetime().nullable().describe('Null if the key was never used.'),
    revokedAt: z.iso.datetime().nullable().describe('Null unless the key is revoked.'),
    spendUsd: z.number().describe('Lifetime spend in USD.'),
    reservedUsd: z.number().describe('Reserved for requests in flight, in USD.'),
    spendLimitUsd: z.number().nullable().describe('The lifetime spend cap in USD; null for none.'),
    rpmLimit: z.number().nullable().describe("Requests per minute; null for no limit but the plan's."),
    tpmLimit: z.number().nullable().describe("Tokens per minute; null for no limit but the plan's."),
    storeBodies: StoreBodies,
  })
  .meta({ id: 'ApiKey', description: 'An API key without its secret.' })
export type KeyMetadata = z.infer<typeof KeyMetadata>

export const KeyCreated = z
  .object({
    id: z.string(),
    secret: z.string().describe('The secret to authenticate with. It is returned only here.'),
    name: z.string(),
    scope: Scope,
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'CreatedApiKey' })
export type KeyCreated = z.infer<typeof KeyCreated>

export const KeyList = z.object({ data: z.array(KeyMetadata) }).meta({ id: 'ApiKeyList' })

export const CallingKey = KeyMetadata.extend({
  remainingUsd: z.number().nullable().describe('What is left of the spend cap in USD; null without a cap.'),
}).meta({ id: 'CallingApiKey', description: 'The API key that the request was authenticated with.' })
export type CallingKey = z.infer<typeof CallingKey>
