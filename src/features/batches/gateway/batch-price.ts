// Prices of batches, and what a line may cost at most.

import type { Offer } from '../../../gateway/models/catalog/offers.ts'
import {
  createPriceByPrompt,
  type Price,
  type PriceBand,
} from '../../../gateway/models/catalog/price-bands.ts'
import { findKnownProvider } from '../../../gateway/models/providers/known-providers.ts'
import type { Bound } from '../../../gateway/request/bound.ts'
import type { Forecast } from '../../../gateway/request/forecast.ts'
import { APPROXIMATE_PRICE_FACTOR, maxCost } from '../../../gateway/request/quote.ts'
import { MAX_REQUEST_NANO } from '../../../gateway/spend/cost.ts'
import type { Pricing } from '../../../shared/api/models.ts'
import type { BatchModel, LineFacts } from './batch-rows.ts'

const TOKEN_PRICES = [
  'inputPerMillion',
  'outputPerMillion',
  'cacheReadPerMillion',
  'cacheWritePerMillion',
  'cacheWriteHourPerMillion',
  'audioInputPerMillion',
  'audioOutputPerMillion',
  'cacheReadAudioPerMillion',
  'imageInputPerMillion',
  'imageOutputPerMillion',
  'cacheReadImagePerMillion',
] as const satisfies readonly (keyof Pricing)[]

/** Sources: the price lists of the vendors, "Batch", in November 2026. They state half of every token price, caches included. */
const HALF_PRICE: ReadonlySet<string> = new Set(['openai', 'azure', 'anthropic'])

/**
 * The price of a line in a batch: what the price says of batches, half where the vendor's price list does, and else the usual
 * price, which is then an estimate.
 */
export function createBatchPrice({ bands, origin, pricing }: Price, provider: string): Price {
  const vendor = findKnownProvider(provider)?.priceId ?? ''
  const factor = pricing.tierFactors?.batch ?? (HALF_PRICE.has(vendor) ? 0.5 : null)
  const [first, ...longer] = bands
  const scale = ({ above, pricing: usual }: PriceBand): PriceBand => ({
    above,
    pricing: scalePrices(usual, factor ?? 1),
  })
  const isFree = origin.source === 'local' || origin.source === 'builtin'
  const known = factor === null && !isFree ? ({ ...origin, match: 'approximate' } as const) : origin
  return createPriceByPrompt([scale(first), ...longer.map(scale)], known)
}

function scalePrices(pricing: Pricing, factor: number): Pricing {
  // The tier that records of its requests have: its price is the one here.
  const scaled: Pricing = { ...pricing, tierFactors: { ...pricing.tierFactors, batch: 1 } }
  for (const name of TOKEN_PRICES) {
    const price = pricing[name]
    if (price !== undefined) scaled[name] = price * factor
  }
  return scaled
}

/** `offer`: at its usual price. */
export function toBatchModel(offer: Offer, forecast: Pick<Forecast, 'factor'>): BatchModel {
  const { id, providerId, upstreamModel, vendorModel, contextWindow, maxOutputTokens } = offer
  const price = offer.price && createBatchPrice(offer.price, providerId)
  const priceFactor = offer.price?.origin.match === 'approximate' ? APPROXIMATE_PRICE_FACTOR : 1
  return {
    id,
    upstreamModel,
    vendorModel,
    contextWindow,
    maxOutputTokens,
    margin: forecast.factor(`${providerId}/${upstreamModel}`) * priceFactor,
    price: price && { bands: [...price.bands], origin: price.origin },
  }
}

/** The offer that a model was, at the price of its batch. */
export function toBatchOffer(model: BatchModel): Offer {
  const { price, margin: _margin, ...rest } = model
  const [first, ...longer] = price?.bands ?? []
  return {
    ...rest,
    providerId: '',
    name: model.id,
    created: 0,
    capabilities: [],
    capabilitiesKnown: false,
    retirement: null,
    price: price && first ? createPriceByPrompt([first, ...longer], price.origin) : null,
  }
}

/** The bound of a line, as requests have it. */
export function toBound({ prompt, output, units, tier = 'batch' }: LineFacts): Bound {
  return {
    calls: 1,
    prompt,
    output,
    external: false,
    tier,
    ...(units && { units: { most: units, likely: units } }),
  }
}

/** Nano-dollars; zero without a price. `offer`: the one of the model. */
export function computeMost(
  { margin }: BatchModel,
  offer: Offer,
  facts: LineFacts,
  discountPercent: number,
): number {
  const most = maxCost({ offer, bound: toBound(facts) }, facts.output, discountPercent)
  return Math.min(Math.ceil(most * margin), MAX_REQUEST_NANO)
}
