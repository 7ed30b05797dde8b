// Owns the way from a vendor's model to a price: our dated overrides where there is one, else the kept price database.
import { calcPrice } from '@pydantic/genai-prices'
import type { PriceOrigin, Pricing } from '../../shared/models.ts'
import { hourWrite, type Rates, ratesOf } from '../billing/cost.ts'
import { pricesAsOf } from './price-data.ts'
import { OVERRIDES_AS_OF, type OverridePrice, overridePrice } from './price-overrides.ts'

export interface Price {
  /** The headline rates, as shown. */
  pricing: Pricing
  origin: PriceOrigin
  /** The rates for a prompt of this many tokens: some vendors charge long prompts more. */
  rates(promptTokens: number): Rates
}

export interface PricedModel {
  price: Price
  name: string | null
  contextWindow: number | null
}

/** A price that does not depend on the prompt's length. */
export function flatPrice(pricing: Pricing, origin: PriceOrigin): Price {
  const rates = ratesOf(pricing)
  return { pricing, origin, rates: () => rates }
}

/** What is known of the price of a vendor's model at a moment, or null. Prices may depend on the time of day. */
export function pricedModel(priceId: string, modelId: string, at: Date): PricedModel | null {
  const known = databaseModel(priceId, modelId, at)
  const override = overridePrice(priceId, modelId)
  if (!override) return known
  const exact = known?.price.origin.match === 'exact' ? known : null
  return {
    price: overriddenPrice(override),
    name: exact?.name ?? null,
    contextWindow: exact?.contextWindow ?? null,
  }
}

function overriddenPrice(row: OverridePrice): Price {
  const { above } = row
  const base = overrideRates(row)
  const long = above ? overrideRates(above) : base
  return {
    pricing: {
      inputPerMillion: row.input,
      outputPerMillion: row.output,
      ...(row.cacheRead === undefined ? {} : { cacheReadPerMillion: row.cacheRead }),
      ...(row.cacheWrite === undefined ? {} : { cacheWritePerMillion: row.cacheWrite }),
    },
    origin: { source: 'override', match: 'exact', asOf: OVERRIDES_AS_OF },
    rates: (promptTokens) => (above && promptTokens > above.tokens ? long : base),
  }
}

function overrideRates({ input, output, cacheRead, cacheWrite, cacheWrite1h }: OverridePrice): Rates {
  const cacheWrite5m = cacheWrite ?? input
  return {
    input,
    cacheRead: cacheRead ?? input,
    cacheReadAudio: cacheRead ?? input,
    cacheWrite5m,
    cacheWrite1h: cacheWrite1h ?? hourWrite(cacheWrite) ?? input,
    audioInput: input,
    output,
    audioOutput: output,
    audioAsText: true,
  }
}

type Calculation = NonNullable<ReturnType<typeof calcPrice>>
type Rate = Calculation['model_price'][string]

/** What the price database knows of a vendor's model at a moment, or null. */
export function databaseModel(priceId: string, modelId: string, at: Date): PricedModel | null {
  const found = calcPrice({ input_tokens: 1, output_tokens: 1 }, modelId, {
    providerId: priceId,
    timestamp: at,
  })
  if (!found) return null
  const { model, model_price: table } = found
  const origin: PriceOrigin = {
    source: 'database',
    match: isExactMatch(modelId, model.id, model.match) ? 'exact' : 'approximate',
    asOf: pricesAsOf(),
  }
  const rates = (promptTokens: number) => ratesFrom(table, promptTokens)
  const headline = rates(0)
  const pricing: Pricing = {
    inputPerMillion: headline.input,
    outputPerMillion: headline.output,
    ...(table.cache_read_mtok === undefined ? {} : { cacheReadPerMillion: headline.cacheRead }),
    ...(table.cache_write_mtok === undefined ? {} : { cacheWritePerMillion: headline.cacheWrite5m }),
  }
  return {
    price: { pricing, origin, rates },
    name: model.name ?? null,
    contextWindow: model.context_window ?? null,
  }
}

function ratesFrom(table: Calculation['model_price'], promptTokens: number): Rates {
  const rate = (name: string, otherwise: number) => tierOf(table[name], promptTokens) ?? otherwise
  const input = rate('input_mtok', 0)
  const output = rate('output_mtok', 0)
  const cacheRead = rate('cache_read_mtok', input)
  const cacheWrite5m = tierOf(table.cache_write_mtok, promptTokens)
  const hasAudio = table.input_audio_mtok !== undefined || table.output_audio_mtok !== undefined
  return {
    input,
    cacheRead,
    cacheReadAudio: rate('cache_audio_read_mtok', cacheRead),
    cacheWrite5m: cacheWrite5m ?? input,
    cacheWrite1h: rate('cache_write_1h_mtok', hourWrite(cacheWrite5m) ?? input),
    audioInput: rate('input_audio_mtok', input),
    output,
    audioOutput: rate('output_audio_mtok', output),
    ...(!hasAudio && { audioAsText: true }),
  }
}

/** A prompt longer than a tier's start is charged at that tier's price for all its tokens, as the database defines it. */
function tierOf(rate: Rate, promptTokens: number): number | undefined {
  if (rate === undefined || typeof rate === 'number') return rate
  let price = rate.base
  for (const tier of rate.tiers) if (promptTokens > tier.start) price = tier.price
  return price
}

/** A prefix rule may price a newer model as an older one; only a release date or `-latest` may follow what it names. */
function isExactMatch(wanted: string, found: string, rule: unknown): boolean {
  const names = [found, ...namesIn(rule)]
  const bare = wanted.toLowerCase().replace(/(-latest|[-@](\d{4}-\d{2}-\d{2}|\d{8}))$/, '')
  return names.some((name) => name.toLowerCase() === wanted.toLowerCase() || name.toLowerCase() === bare)
}

function namesIn(rule: unknown): string[] {
  if (typeof rule !== 'object' || rule === null) return []
  return Object.entries(rule).flatMap(([kind, value]) => {
    if ((kind === 'equals' || kind === 'starts_with') && typeof value === 'string') return [value]
    return Array.isArray(value) ? value.flatMap(namesIn) : []
  })
}
