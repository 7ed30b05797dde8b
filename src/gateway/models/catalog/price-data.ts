// Validates price data that was fetched, in the format of the price package.
import { calcPrice, type MatchLogic, type Provider } from '@pydantic/genai-prices'
import { z } from 'zod'
import { MAX_PER_MILLION } from '../../../shared/models.ts'
import { knownProviders } from '../providers/known-providers.ts'

const Amount = z.number().nonnegative().max(MAX_PER_MILLION)
const Tier = z.object({ start: z.number().nonnegative(), price: Amount })
const Prices = z.record(
  z.string(),
  z.union([Amount, z.object({ base: Amount, tiers: z.array(Tier).max(20) })]),
)
const Text = z.string().max(500)
const Match: z.ZodType<MatchLogic> = z.lazy(() =>
  z.union([
    z.strictObject({ or: z.array(Match).max(500) }),
    z.strictObject({ and: z.array(Match).max(500) }),
    z.strictObject({ equals: Text }),
    z.strictObject({ starts_with: Text }),
    z.strictObject({ ends_with: Text }),
    z.strictObject({ contains: Text }),
    z.strictObject({ regex: Text }),
  ]),
)
const Constraint = z.union([
  z.object({ type: z.literal('start_date').default('start_date'), start_date: z.iso.date() }),
  z.object({ type: z.literal('time_of_date').default('time_of_date'), start_time: Text, end_time: Text }),
])
const Model = z.object({
  id: z.string().min(1).max(200),
  name: Text.exactOptional(),
  context_window: z.number().exactOptional(),
  match: Match,
  prices: z.union([
    z.array(z.object({ constraint: Constraint.exactOptional(), prices: Prices })).min(1),
    Prices,
  ]),
})
/** The part of the package's format that prices need. */
const Data: z.ZodType<Provider[]> = z
  .array(
    z.object({
      id: z.string(),
      name: z.string(),
      api_pattern: Text,
      model_match: Match.exactOptional(),
      provider_match: Match.exactOptional(),
      fallback_model_providers: z.array(z.string()).exactOptional(),
      models: z.array(Model).max(5_000),
    }),
  )
  .max(500)

/** Price data as it is stored in the settings. */
export const StoredPrices = z.object({ asOf: z.iso.date(), data: z.unknown() })

/**
 * Parses `data`, the parsed JSON of the package's format. Throws an Error with a sentence for the user when it is invalid
 * or lacks a provider that the package came with.
 */
export function readPrices(data: unknown): Provider[] {
  const parsed = Data.safeParse(data)
  if (!parsed.success) {
    const path = parsed.error.issues[0]?.path.join('.') ?? ''
    throw new Error(`The price data has an unexpected format${path ? ` (at ${path})` : ''}.`)
  }
  for (const { priceId, name } of knownProviders) {
    if (priceId === undefined) continue
    const provider = parsed.data.find(({ id }) => id === priceId)
    if (!provider || provider.models.length === 0) throw new Error(`The price data has no models of ${name}.`)
    calculateEach(provider)
  }
  return parsed.data
}

/** The package throws for prices that contradict each other. */
function calculateEach(provider: Provider): void {
  for (const model of provider.models) {
    calcPrice({ input_tokens: 1, output_tokens: 1 }, model.id, { provider })
  }
}
