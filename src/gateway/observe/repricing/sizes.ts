// Which sizes of requests make a difference: the ends of price bands, context windows and output limits. The store only says
// between which of them a request lies.

import { convertTokens, TOKEN_FACTORS, tokenFactor } from '../../models/catalog/model-families.ts'
import type { Offer } from '../../models/catalog/offers.ts'
import type { SizeLimits } from '../../store/store.ts'

/** The largest sizes at which nothing changes, for requests whose model had other tokens. */
export interface CandidateSizes {
  /** The classes of prompts from which each further price band counts. */
  bands: readonly number[]
  /** The highest class that the context window, and the output limit, has room for. */
  window: number
  output: number
}

/** The limits of all offers, in the tokens of whichever model served. */
export function sizeLimits(offers: readonly Offer[]): SizeLimits {
  const limits = { prompt: new Set<number>(), output: new Set<number>(), total: new Set<number>() }
  const add = (to: Set<number>, limit: number | null, factor: number) => {
    if (limit !== null) for (const served of TOKEN_FACTORS) to.add(largestWithin(limit, served, factor))
  }
  for (const { price, contextWindow, maxOutputTokens, vendorModel } of offers) {
    const factor = tokenFactor(vendorModel)
    for (const { above } of price?.bands.slice(1) ?? []) add(limits.prompt, above, factor)
    add(limits.total, contextWindow, factor)
    add(limits.output, maxOutputTokens, factor)
  }
  return { prompt: sorted(limits.prompt), output: sorted(limits.output), total: sorted(limits.total) }
}

/** What the limits of an offer are for requests that were served by a model with the token factor `served`. */
export function sizesOf(
  { price, contextWindow, maxOutputTokens, vendorModel }: Offer,
  served: number,
  limits: SizeLimits,
): CandidateSizes {
  const factor = tokenFactor(vendorModel)
  const classIn = (list: readonly number[], limit: number | null) =>
    limit === null ? Number.POSITIVE_INFINITY : list.indexOf(largestWithin(limit, served, factor))
  return {
    bands: (price?.bands.slice(1) ?? []).map(({ above }) => classIn(limits.prompt, above)),
    window: classIn(limits.total, contextWindow),
    output: classIn(limits.output, maxOutputTokens),
  }
}

/** The most tokens of the model that served which are at most `limit` tokens of the other. */
function largestWithin(limit: number, served: number, factor: number): number {
  let tokens = convertTokens(limit, factor, served)
  while (convertTokens(tokens, served, factor) > limit) tokens -= 1
  while (convertTokens(tokens + 1, served, factor) <= limit) tokens += 1
  return tokens
}

function sorted(numbers: ReadonlySet<number>): number[] {
  return [...numbers].sort((a, b) => a - b)
}
