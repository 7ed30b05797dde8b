import { z } from 'zod'
import { ModelPattern, SpendLimitState, SpendLimits, shortText, Tag } from './spend-limits.ts'
import { HINT_LENGTH } from './terms.ts'

export const PauseAll = z
  .strictObject({
    running: z
      .enum(['finish', 'end'])
      .default('finish')
      .describe(
        'What happens to the requests that providers are answering. `end`: they are aborted, and what they consumed is charged.',
      ),
  })
  .meta({ id: 'Pause' })
export type PauseAll = z.infer<typeof PauseAll>

const SCOPES = ['full', 'read-only', 'completions-only', 'telemetry-only', 'admin'] as const
export const Scope = z.enum(SCOPES).meta({ id: 'Scope', description: 'What an API key may do.' })
export type Scope = z.infer<typeof Scope>

const NAME_MAX = 100

export const KeyName = shortText(NAME_MAX)

const SpendCap = z.number().nonnegative().nullable().describe('The lifetime spend cap in USD; null for none.')
const RateLimit = z.int().positive().nullable()
const RequestLimit = RateLimit.describe("Requests per minute; null for no limit but the plan's.")
const TokenLimit = RateLimit.describe("Tokens per minute; null for no limit but the plan's.")

const MaxSubagents = z
  .int()
  .min(1)
  .max(1000)
  .nullable()
  .describe('How many sub-agents of a session may be at work at the same time; null for any number.')

const StoreBodies = z
  .boolean()
  .nullable()
  .describe('Whether to store the prompts and responses of this key; null follows the settings.')

const MAX_ALLOWED_MODELS = 100

const KeyTag = Tag.nullable().describe(
  'The project of its requests, unless a request names another one; null for none.',
)
const AllowedModels = z
  .array(ModelPattern)
  .min(1, { error: 'must name a model; null allows all' })
  .max(MAX_ALLOWED_MODELS)
  .nullable()
  .describe('The only models that may serve its requests; null for all.')
const ExpiresAt = z.iso
  .datetime({ offset: true, error: 'must be a date and time such as 2026-12-31T18:00:00Z' })
  .nullable()
  .describe('From then on the key is refused; null for never.')

export const KeyGuard = z
  .enum(['on', 'allow-repeats', 'off'])
  .describe(
    'What the runaway guard watches of this key: all, all but equal prompts (for benchmarks), or nothing.',
  )
export type KeyGuard = z.infer<typeof KeyGuard>

export const SecretsInPrompts = z
  .enum(['note', 'block', 'off'])
  .describe(
    'What happens to a request with a secret that its session has not sent before, such as a GitHub token: it is noted in its record and in the activity, it is refused, or nothing.',
  )
export type SecretsInPrompts = z.infer<typeof SecretsInPrompts>

const MAX_TTL_SECONDS = 30 * 24 * 60 * 60
const MAX_CACHE_BYTES = 1024 ** 3

export const ResponseCache = z
  .strictObject({
    ttlSeconds: z
      .int()
      .min(1)
      .max(MAX_TTL_SECONDS)
      .default(24 * 60 * 60)
      .describe('How long an answer may be repeated: up to 30 days.'),
    maxBytes: z
      .int()
      .min(64 * 1024)
      .max(MAX_CACHE_BYTES)
      .default(64 * 1024 * 1024)
      .describe(
        'The space of the stored answers: up to 1 GB. Those unused for the longest time are deleted first.',
      ),
  })
  .meta({ id: 'ResponseCache' })
export type ResponseCache = z.infer<typeof ResponseCache>

const CacheOption = ResponseCache.nullable().describe(
  'Repeats the stored answer of an equal request of this key, at no cost; null for no response cache.',
)

const Strict = z
  .boolean()
  .describe(
    'Whether a request is sent only if its highest possible cost fits under every limit that stops it, so that spend never exceeds the cap.',
  )

/** The options of a key that can be set at its creation and changed later. */
const options = {
  spendLimitUsd: SpendCap.optional(),
  spendLimits: SpendLimits.optional().describe(
    'Limits of what the key may spend. A list without the cap keeps it.',
  ),
  strict: Strict.optional(),
  rpmLimit: RequestLimit.optional(),
  tpmLimit: TokenLimit.optional(),
  maxSubagents: MaxSubagents.optional(),
  storeBodies: StoreBodies.optional(),
  tag: KeyTag.optional(),
  allowedModels: AllowedModels.optional(),
  expiresAt: ExpiresAt.optional(),
  guard: KeyGuard.optional(),
  secretsInPrompts: SecretsInPrompts.optional(),
  responseCache: CacheOption.optional(),
}

export const KeyCreate = z
  .strictObject({
    name: KeyName,
    scope: Scope,
    ...options,
  })
  .meta({ id: 'ApiKeyCreate' })
export type KeyCreate = z.infer<typeof KeyCreate>

export const KeyUpdate = z
  .strictObject({
    name: KeyName.optional(),
    ...options,
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
    reservedUsd: z
      .number()
      .describe('Reserved for requests in flight, and for what a provider may still bill, in USD.'),
    spendLimitUsd: z.number().nullable().describe('The lifetime spend cap in USD; null for none.'),
    rpmLimit: z.number().nullable().describe("Requests per minute; null for no limit but the plan's."),
    tpmLimit: z.number().nullable().describe("Tokens per minute; null for no limit but the plan's."),
    maxSubagents: MaxSubagents,
    storeBodies: StoreBodies,
    tag: KeyTag,
    spendLimits: z.array(SpendLimitState).describe('Limits of what the key may spend, the cap among them.'),
    strict: Strict,
    allowedModels: AllowedModels,
    expiresAt: z.iso.datetime().nullable().describe('From then on the key is refused; null for never.'),
    guard: KeyGuard,
    secretsInPrompts: SecretsInPrompts,
    responseCache: CacheOption,
    pausedAt: z.iso.datetime().nullable().describe('Null unless the key is paused.'),
    pauseReason: z.string().nullable().describe('Why the key is paused.'),
  })
  .meta({ id: 'ApiKey', description: 'An API key without its secret.' })
export type KeyMetadata = z.infer<typeof KeyMetadata>

const MAX_REASON_LENGTH = 500

export const KeyPause = PauseAll.extend({
  reason: z
    .string()
    .min(1)
    .max(MAX_REASON_LENGTH)
    .optional()
    .describe('Shown to the user and to the clients of the key.'),
}).meta({ id: 'ApiKeyPause' })
export type KeyPause = z.infer<typeof KeyPause>

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
