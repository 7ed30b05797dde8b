// Owns the shapes of catalogue records on the wire. Knows nothing of where prices or model lists come from.
import { z } from 'zod'

export const CAPABILITIES = ['vision', 'tools', 'json', 'reasoning', 'streaming'] as const
export const Capability = z.enum(CAPABILITIES)
export type Capability = z.infer<typeof Capability>

/** Far above any price asked. With it, the most tokens that a report is believed are a million dollars. */
export const MAX_PER_MILLION = 10_000
const PerMillion = z.number().nonnegative().max(MAX_PER_MILLION)

/** What a cache write for an hour costs, in writes for five minutes. Only Anthropic has both: 2 and 1.25 times the input. */
export const HOUR_WRITE_FACTOR = 1.6

/** Prices in USD per million tokens. */
export const Pricing = z.strictObject({
  inputPerMillion: PerMillion,
  outputPerMillion: PerMillion,
  cacheReadPerMillion: PerMillion.optional(),
  cacheWritePerMillion: PerMillion.optional(),
})
export type Pricing = z.infer<typeof Pricing>

/** Where a price came from: the price database, a dated override of ours, the provider's own list, the user, or built in. */
export const PriceOrigin = z.object({
  source: z.enum(['database', 'override', 'provider', 'user', 'builtin', 'local']),
  match: z.enum(['exact', 'approximate']),
  asOf: z.string().nullable(),
})
export type PriceOrigin = z.infer<typeof PriceOrigin>

const LONGEST_MODEL_ID = 200

/** Vendors' ids have slashes, colons and, elsewhere, any script; none has what no header or terminal could show. */
export const ModelId = z
  .string()
  .min(1, { error: 'must not be empty' })
  .max(LONGEST_MODEL_ID, { error: `must be at most ${LONGEST_MODEL_ID} characters` })
  .refine((id) => id.isWellFormed() && !/[\p{Cc}\u2028\u2029]/u.test(id), {
    error: 'must be of characters that can be shown, without line breaks',
  })
  .refine((id) => id.trim() === id, { error: 'must not begin or end with a space' })

const TokenLimit = z.int().positive().nullable()

export const ModelOverride = z.strictObject({
  provider: z.string().optional(),
  upstreamModel: ModelId.optional(),
  pricing: Pricing.nullable().optional(),
  capabilities: z.array(Capability).optional(),
  contextWindow: TokenLimit.optional(),
  maxOutputTokens: TokenLimit.optional(),
  fallbacks: z.array(ModelId).max(8).optional(),
  /** False: the model is not listed and not served, under this id nor as anybody's fallback. */
  enabled: z.boolean().optional(),
})
export type ModelOverride = z.infer<typeof ModelOverride>

export const ModelRecord = z.object({
  id: z.string(),
  object: z.literal('model'),
  type: z.literal('model'),
  created: z.number(),
  created_at: z.iso.datetime(),
  owned_by: z.string(),
  name: z.string(),
  display_name: z.string(),
  provider: z.string(),
  providers: z.array(z.string()),
  contextWindow: z.number().nullable(),
  maxOutputTokens: z.number().nullable(),
  pricing: Pricing.nullable(),
  priceOrigin: PriceOrigin.nullable(),
  capabilities: z.array(Capability),
  fallbacks: z.array(z.string()),
  enabled: z.boolean(),
  overridden: z.boolean(),
  /** What the user said of the model; null when nothing. A PUT replaces it as a whole. */
  override: ModelOverride.nullable(),
})
export type ModelRecord = z.infer<typeof ModelRecord>

/** Not strict: clients written for other catalogues send paging parameters along. */
export const ModelQuery = z.object({
  /** Also lists the models that the user has turned off. */
  include: z.enum(['disabled']).optional(),
})
export type ModelQuery = z.infer<typeof ModelQuery>

export const ModelList = z.object({
  object: z.literal('list'),
  data: z.array(ModelRecord),
  has_more: z.literal(false),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
})

export const ModelOverrideDropped = z.object({ id: z.string(), deleted: z.literal(true) })
