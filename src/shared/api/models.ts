import { z } from 'zod'
import { hasHidden } from '../values/text.ts'
import { CAPABILITIES } from './terms.ts'

export const Capability = z.enum(CAPABILITIES).meta({ id: 'Capability' })
export type Capability = z.infer<typeof Capability>

/** Far above any real price. It limits the cost of the highest token count that is accepted from a provider to a million dollars. */
export const MAX_PER_MILLION = 10_000
const PerMillion = z.number().nonnegative().max(MAX_PER_MILLION)
const UnitPrice = z.number().nonnegative().max(1_000)

/**
 * The tiers of service besides the standard one whose prices can be given: also Anthropic's fast mode, and its inference in
 * the USA only.
 */
export const PRICED_TIERS = ['batch', 'flex', 'priority', 'fast', 'us'] as const

export const Pricing = z
  .strictObject({
    inputPerMillion: PerMillion,
    outputPerMillion: PerMillion,
    cacheReadPerMillion: PerMillion.optional(),
    cacheWritePerMillion: PerMillion.optional().describe('Written to the cache for five minutes.'),
    cacheWriteHourPerMillion: PerMillion.optional().describe(
      'Written to the cache for an hour; if absent, 1.6 times `cacheWritePerMillion`.',
    ),
    audioInputPerMillion: PerMillion.optional(),
    audioOutputPerMillion: PerMillion.optional(),
    cacheReadAudioPerMillion: PerMillion.optional(),
    imageInputPerMillion: PerMillion.optional(),
    imageOutputPerMillion: PerMillion.optional(),
    cacheReadImagePerMillion: PerMillion.optional(),
    perAudioMinute: UnitPrice.optional().describe('USD per minute of audio that is transcribed.'),
    perMillionCharacters: PerMillion.optional().describe('USD per million characters that are spoken.'),
    perImage: UnitPrice.optional().describe('USD per generated image.'),
    perThousandSearches: UnitPrice.optional().describe('USD per thousand searches (rerank).'),
    perThousandWebSearches: UnitPrice.optional().describe(
      'USD per thousand searches of the web by a tool of the provider.',
    ),
    perThousandFileSearches: UnitPrice.optional().describe(
      'USD per thousand searches of stored files by a tool of the provider.',
    ),
    perThousandRequests: UnitPrice.optional().describe('USD per thousand requests, besides the tokens.'),
    tierFactors: z
      .partialRecord(z.enum(PRICED_TIERS), z.number().positive().max(100))
      .optional()
      .describe(
        'The token prices in other tiers (`service_tier`; `fast`: `speed`; `us`: `inference_geo`), as multiples of the prices here.',
      ),
  })
  .meta({
    id: 'Pricing',
    description: 'Prices in USD, of tokens per million, and of the other units as their names say.',
  })
export type Pricing = z.infer<typeof Pricing>

const PRICE_SOURCES = ['database', 'override', 'provider', 'user', 'builtin', 'local'] as const
export const PriceOrigin = z
  .object({
    source: z
      .enum(PRICE_SOURCES)
      .describe(
        "`user`: the user's override; `provider`: the provider's model list; `override`: Tollgate's corrections; " +
          '`database`: the price database; `builtin`: the sandbox; `local`: a server on this machine or network.',
      ),
    match: z
      .enum(['exact', 'approximate'])
      .describe('`approximate`: the price is that of a model with a similar id.'),
    asOf: z.string().nullable().describe('The date of the price; null when its source has none.'),
  })
  .meta({ id: 'PriceOrigin', description: 'Where a price comes from.' })
export type PriceOrigin = z.infer<typeof PriceOrigin>

export const MAX_MODEL_ID_LENGTH = 200

/** Vendors' ids have slashes, colons and sometimes other scripts, but nothing that a header or terminal cannot show. */
export const ModelId = z
  .string()
  .min(1, { error: 'must not be empty' })
  .max(MAX_MODEL_ID_LENGTH, { error: `must be at most ${MAX_MODEL_ID_LENGTH} characters` })
  .refine((id) => !hasHidden(id), {
    error: 'must not contain control characters, line breaks or invisible characters',
  })
  .refine((id) => id.trim() === id, { error: 'must not begin or end with a space' })

const TokenLimit = z.int().positive().nullable()

export const ModelOverride = z
  .strictObject({
    provider: z.string().optional().describe('The provider that serves the model. Required for a new model.'),
    upstreamModel: ModelId.optional().describe("The provider's id of the model, where it differs."),
    pricing: Pricing.nullable().optional().describe('Null: the price is unknown.'),
    capabilities: z.array(Capability).optional(),
    contextWindow: TokenLimit.optional().describe('Tokens.'),
    maxOutputTokens: TokenLimit.optional(),
    fallbacks: z.array(ModelId).max(8).optional().describe('Models to try, in order, when this one fails.'),
    enabled: z
      .boolean()
      .optional()
      .describe('False: the model is not listed and not served, neither under this id nor as a fallback.'),
  })
  .meta({
    id: 'ModelOverride',
    description: "The user's own settings for a model. A PUT replaces all of them.",
  })
export type ModelOverride = z.infer<typeof ModelOverride>

export const Retirement = z
  .object({
    on: z.iso.date().describe('The day from which the vendor no longer serves it.'),
    source: z
      .string()
      .nullable()
      .describe('Where the vendor has announced it; null if only its list says so.'),
  })
  .meta({ id: 'ModelRetirement' })
export type Retirement = z.infer<typeof Retirement>

export const ModelRecord = z
  .object({
    id: z.string(),
    object: z.literal('model'),
    type: z.literal('model'),
    created: z.number().describe('Seconds since the Unix epoch.'),
    created_at: z.iso.datetime(),
    owned_by: z.string(),
    name: z.string(),
    display_name: z.string(),
    provider: z.string().describe('The provider that is tried first.'),
    providers: z
      .array(z.string())
      .describe('All providers of the model, in the order in which they are tried.'),
    contextWindow: z.number().nullable().describe('Tokens; null if unknown.'),
    maxOutputTokens: z.number().nullable().describe('Null if unknown.'),
    pricing: Pricing.nullable().describe('Null if unknown.'),
    priceOrigin: PriceOrigin.nullable(),
    capabilities: z.array(Capability),
    capabilitiesKnown: z
      .boolean()
      .describe('False: nothing is known about the model, and the capabilities are assumed.'),
    retirement: Retirement.nullable().describe(
      'The announced retirement at `provider`, which may have passed; null for none that is known. Nothing is sent to another model because of it.',
    ),
    fallbacks: z.array(z.string()).describe('Models that are tried, in order, when this one fails.'),
    enabled: z.boolean(),
    overridden: z.boolean().describe('Whether the override changes more than `enabled`.'),
    override: ModelOverride.nullable().describe("The user's override; null if there is none."),
  })
  .meta({ id: 'ModelRecord', description: 'A model of the catalog.' })
export type ModelRecord = z.infer<typeof ModelRecord>

/** Not strict: clients written for other catalogs also send paging parameters. */
export const ModelQuery = z
  .object({
    include: z.enum(['disabled']).optional().describe('Also list the models that the user disabled.'),
  })
  .meta({ id: 'ModelQuery' })
export type ModelQuery = z.infer<typeof ModelQuery>

export const ModelList = z
  .object({
    object: z.literal('list'),
    data: z.array(ModelRecord),
    has_more: z.literal(false),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
  })
  .meta({ id: 'ModelList' })

export const DeletedModelOverride = z
  .object({ id: z.string(), deleted: z.literal(true) })
  .meta({ id: 'DeletedModelOverride' })
