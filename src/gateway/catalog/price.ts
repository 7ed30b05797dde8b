import type { PriceOrigin, Pricing } from '../../shared/models.ts'
import { type Rates, ratesOf } from '../../shared/rates.ts'

export interface Price {
  /** The headline rates, as shown. */
  pricing: Pricing
  origin: PriceOrigin
  /** The prices for a prompt of this many tokens. */
  pricingAt(promptTokens: number): Pricing
  /** The rates for a prompt of this many tokens: some vendors charge more for long prompts, and for other tiers. */
  rates(promptTokens: number, tier?: string): Rates
}

/** A price that depends on the prompt's length. */
export function priceByPrompt(pricingAt: (promptTokens: number) => Pricing, origin: PriceOrigin): Price {
  return {
    pricing: pricingAt(0),
    origin,
    pricingAt,
    rates: (promptTokens, tier) => ratesOf(pricingAt(promptTokens), tier),
  }
}

/** A price that does not depend on the prompt's length. */
export function flatPrice(pricing: Pricing, origin: PriceOrigin): Price {
  return priceByPrompt(() => pricing, origin)
}

/** Everything is free. */
export function freePrice(origin: PriceOrigin): Price {
  const pricing: Pricing = { inputPerMillion: 0, outputPerMillion: 0 }
  const rates: Rates = { ...ratesOf(pricing), assumed: [] }
  return { pricing, origin, pricingAt: () => pricing, rates: () => rates }
}
