// Owns which price database is in use: the one the price package came with, or one fetched since and kept. Knows
// nothing of models or of what is charged.
import {
  calcPrice,
  type MatchLogic,
  type Provider,
  REMOTE_DATA_JSON_URL,
  updatePrices,
  waitForUpdate,
} from '@pydantic/genai-prices'
import { z } from 'zod'
import { MAX_PER_MILLION } from '../../shared/models.ts'
import type { PriceStatus } from '../../shared/pricing.ts'
import { knownProviders } from '../providers/known-providers.ts'

/** The version of the package in use and the day it was published. */
export const BUNDLED = { version: '0.1.8', asOf: '2026-09-23' }
/** Where the package says that its newest data is published. */
export const PRICE_DATA_URL = REMOTE_DATA_JSON_URL

const STALE_AFTER_MS = 60 * 24 * 3_600_000

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
/** Of the package's format, what prices need. */
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

/** As it is kept in the settings. */
export const StoredPrices = z.object({ asOf: z.iso.date(), data: z.unknown() })
export type StoredPrices = z.infer<typeof StoredPrices>

let current: { source: PriceStatus['source']; asOf: string } = { source: 'package', asOf: BUNDLED.asOf }

/** The day of the figures in use. */
export function pricesAsOf(): string {
  return current.asOf
}

/**
 * Parses `data`, the package's own format as parsed JSON. Throws an Error in a sentence when it is not that, or lacks
 * what the package came with.
 */
export function readPrices(data: unknown): Provider[] {
  const parsed = Data.safeParse(data)
  if (!parsed.success) {
    const path = parsed.error.issues[0]?.path.join('.') ?? ''
    throw new Error(`The price data is not in its format${path ? ` (at ${path})` : ''}.`)
  }
  for (const { priceId, name } of knownProviders) {
    if (priceId === undefined) continue
    const provider = parsed.data.find(({ id }) => id === priceId)
    if (!provider || provider.models.length === 0) throw new Error(`The price data has no models of ${name}.`)
    tryPrices(provider)
  }
  return parsed.data
}

/** Puts prices in the place of what was used. */
export function applyPrices(providers: Provider[], asOf: string): void {
  updatePrices(({ setProviderData }) => setProviderData(providers))
  current = { source: 'refreshed', asOf }
}

/** The package throws for prices that do not fit together. */
function tryPrices(provider: Provider): void {
  for (const model of provider.models) {
    calcPrice({ input_tokens: 1, output_tokens: 1 }, model.id, { provider })
  }
}

/** Whether the figures in use are so old that prices may have changed since, and what else is to be told of them. */
export async function priceStatus(now: number): Promise<PriceStatus> {
  const providers = (await waitForUpdate()) ?? []
  return {
    ...current,
    stale: now - Date.parse(current.asOf) > STALE_AFTER_MS,
    modelCount: providers.reduce((sum, { models }) => sum + models.length, 0),
  }
}
