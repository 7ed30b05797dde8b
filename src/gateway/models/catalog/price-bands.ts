import type { PriceOrigin, Pricing } from '../../../shared/api/models.ts'
import { computeMaxRates, getRates, type Rates } from '../../../shared/money/rates.ts'
import { getOrCreate } from '../../platform/maps.ts'

export interface Price {
  /** The headline rates, as shown. */
  pricing: Pricing
  origin: PriceOrigin
  /** The prices by the prompt's length. */
  bands: PriceBands
  /** The rates for a prompt of this many tokens: some vendors charge more for long prompts, and for other tiers. */
  rates(promptTokens: number, tier?: string): Rates
  /** The prices of a prompt of this many tokens. */
  pricingFor(promptTokens: number): Pricing
  /** The highest rates that can apply to a request with such a prompt that asks for this tier, or for none. */
  maxRates(promptTokens: number, tier?: string): Rates
}

/** The price of the prompts with more than `above` tokens, up to the next band. */
export interface PriceBand {
  above: number
  pricing: Pricing
}

/** In the order of their lengths. The first has the prompts that are too short for the second, whatever its `above`. */
export type PriceBands = readonly [PriceBand, ...PriceBand[]]

/** The rates of one band and tier, computed when they are first needed: most of the many prices are never used. */
interface TierRates {
  rates: Rates
  max: Rates
}

class RatedBand {
  readonly above: number
  readonly pricing: Pricing
  /** The tiers are those of a table, so there are few. */
  #tiers: Map<string | undefined, TierRates> | null = null

  constructor({ above, pricing }: PriceBand) {
    this.above = above
    this.pricing = pricing
  }

  in(tier: string | undefined): TierRates {
    this.#tiers ??= new Map()
    return getOrCreate(this.#tiers, tier, () => {
      const rates = getRates(this.pricing, tier)
      // A request may be served in the standard tier instead of the one that it asks for.
      return { rates, max: computeMaxRates(tier === undefined ? [rates] : [this.in(undefined).rates, rates]) }
    })
  }
}

export function createPriceByPrompt(bands: PriceBands, origin: PriceOrigin): Price {
  const [first, ...longer] = bands
  const base = new RatedBand(first)
  const others = longer.map((band) => new RatedBand(band))
  const findBand = (promptTokens: number): RatedBand => {
    let rates = base
    for (const band of others) if (promptTokens > band.above) rates = band
    return rates
  }
  return {
    pricing: first.pricing,
    origin,
    bands,
    rates: (promptTokens, tier) => findBand(promptTokens).in(tier).rates,
    pricingFor: (promptTokens) => findBand(promptTokens).pricing,
    maxRates: (promptTokens, tier) => findBand(promptTokens).in(tier).max,
  }
}

/** A price that does not depend on the prompt's length. */
export function createFlatPrice(pricing: Pricing, origin: PriceOrigin): Price {
  return createPriceByPrompt([{ above: 0, pricing }], origin)
}

export function createFreePrice(origin: PriceOrigin): Price {
  const pricing: Pricing = { inputPerMillion: 0, outputPerMillion: 0 }
  const rates: Rates = { ...getRates(pricing), assumed: [] }
  return {
    pricing,
    origin,
    bands: [{ above: 0, pricing }],
    rates: () => rates,
    pricingFor: () => pricing,
    maxRates: () => rates,
  }
}
