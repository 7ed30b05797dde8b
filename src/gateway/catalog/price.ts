import type { PriceOrigin, Pricing } from '../../shared/models.ts'
import { type Rates, ratesOf } from '../billing/cost.ts'

export interface Price {
  /** The headline rates, as shown. */
  pricing: Pricing
  origin: PriceOrigin
  /** The rates for a prompt of this many tokens: some vendors charge more for long prompts. */
  rates(promptTokens: number): Rates
}

/** A price that does not depend on the prompt's length. */
export function flatPrice(pricing: Pricing, origin: PriceOrigin): Price {
  const rates = ratesOf(pricing)
  return { pricing, origin, rates: () => rates }
}
