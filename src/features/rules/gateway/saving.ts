// What a rule changes in the cost of a request, at the same tokens.

import type { Price } from '../../../gateway/models/catalog/price-bands.ts'
import { costOfCalls } from '../../../gateway/spend/cost.ts'
import type { Pricing } from '../../../shared/api/models.ts'
import type { UsageBuckets } from '../../../shared/api/requests.ts'
import { getRates, type Rates } from '../../../shared/money/rates.ts'
import type { Premium } from '../api/terms.ts'

/** A request that has its cost. */
export interface CostedRequest {
  usage: UsageBuckets
  tokensIn: number
  costNano: number
  /** The tier in which it was served; undefined for the standard one. */
  tier: string | undefined
  /** Of the model that served. */
  pricing: Pricing
  discountPercent: number
}

export interface Repricing {
  /** The price of the other model; null where the model is the same. */
  price: Price | null
  /** The premiums that only one of the two requests has. */
  premiums: readonly Premium[]
}

export interface Saving {
  savedNano: number
  rewriteNano: number
}

/**
 * What a rule would have saved of a request that it has not changed. `isFirst`: the first request of its run that the rule changes,
 * which another model would have to read without a cache.
 */
export function computeSaving(
  request: CostedRequest,
  { price, premiums }: Repricing,
  isFirst: boolean,
): Saving {
  const { costNano, tokensIn, tier, pricing, discountPercent } = request
  const isStandard = premiums.includes('tier') || premiums.includes('speed')
  const rates = chooseRates(price, pricing, isStandard ? undefined : tier, tokensIn)
  const usage = withoutPremiums(request.usage, premiums)
  const after = costOfCalls([{ usage, rates }], discountPercent)
  const written = {
    ...usage,
    cacheRead: 0,
    cacheReadAudio: 0,
    cacheReadImage: 0,
    cacheWrite5m: usage.cacheWrite5m + usage.cacheRead,
  }
  const isRewritten = isFirst && price !== null
  const rewriteNano = isRewritten ? costOfCalls([{ usage: written, rates }], discountPercent) - after : 0
  return { savedNano: costNano - after, rewriteNano }
}

/**
 * What a rule has saved of a request that it has changed: what these tokens would have cost as they were asked for, less what they have
 * cost. What a tool would have been called for is not known.
 */
export function computeSaved(
  request: CostedRequest,
  { price, premiums }: Repricing,
  asked: { tier: string | undefined; isSwitched: boolean },
): Saving {
  const { costNano, tokensIn, tier, pricing, discountPercent } = request
  const usage = premiums.includes('cache') ? withHourWrites(request.usage) : request.usage
  const rates = chooseRates(price, pricing, asked.tier ?? tier, tokensIn)
  const cost = (counts: UsageBuckets, at: Rates) =>
    costOfCalls([{ usage: counts, rates: at }], discountPercent)
  const own = getRates(pricing, tier)
  const { cacheRead, cacheWrite5m, cacheWrite1h, input } = request.usage
  const read = {
    ...request.usage,
    input: 0,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    cacheRead: cacheRead + cacheWrite5m + cacheWrite1h + input,
  }
  return {
    savedNano: cost(usage, rates) - costNano,
    rewriteNano: asked.isSwitched ? Math.max(0, cost(request.usage, own) - cost(read, own)) : 0,
  }
}

function chooseRates(
  price: Price | null,
  pricing: Pricing,
  tier: string | undefined,
  tokensIn: number,
): Rates {
  return price ? price.rates(tokensIn, tier) : getRates(pricing, tier)
}

function withoutPremiums(usage: UsageBuckets, premiums: readonly Premium[]): UsageBuckets {
  const { webSearches: _web, fileSearches: _files, ...others } = usage
  const counts = premiums.includes('tools') ? others : usage
  if (!premiums.includes('cache')) return counts
  return { ...counts, cacheWrite5m: counts.cacheWrite5m + counts.cacheWrite1h, cacheWrite1h: 0 }
}

function withHourWrites(usage: UsageBuckets): UsageBuckets {
  return { ...usage, cacheWrite1h: usage.cacheWrite1h + usage.cacheWrite5m, cacheWrite5m: 0 }
}
