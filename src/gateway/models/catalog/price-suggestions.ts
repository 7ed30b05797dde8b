import type { PriceSuggestion } from '../../../shared/pricing.ts'
import type { KnownProvider } from '../providers/known-provider.ts'
import { knownProviders } from '../providers/known-providers.ts'
import type { PriceDatabase } from './price-database.ts'
import { findVendorPrice } from './prices.ts'

/** Shorter ones are the names of families, such as `gpt`. */
const LEAST_PARTS = 2

type Suggestion = Omit<PriceSuggestion, 'model'>

/** Vendors with prices of their own; clouds have those of others. */
const vendors = (): readonly (KnownProvider & { priceId: string })[] =>
  knownProviders.flatMap((row) =>
    row.priceId !== undefined && row.hosting === undefined ? [{ ...row, priceId: row.priceId }] : [],
  )

/**
 * What a known vendor charges for a model of the same name, or else for the model whose name is the longest beginning of this one;
 * null if there is none. Only the user knows whether it is the same model.
 */
export function suggestPrice(modelId: string, prices: PriceDatabase, now: Date): Suggestion | null {
  const id = modelId.toLowerCase().replace(/:[^/]*$/, '')
  const name = id.slice(id.lastIndexOf('/') + 1)
  for (const known of new Set([id, name])) {
    const found = findExact(known, prices, now)
    if (found) return { ...found, match: 'exact' }
  }
  const parts = name.split('-')
  for (let length = parts.length - 1; length >= LEAST_PARTS; length -= 1) {
    const found = findExact(parts.slice(0, length).join('-'), prices, now)
    if (found) return { ...found, match: 'approximate' }
  }
  return null
}

function findExact(name: string, prices: PriceDatabase, now: Date): Omit<Suggestion, 'match'> | null {
  for (const { name: provider, priceId } of vendors()) {
    const ids = [name, ...prices.listIds(priceId, name)]
    for (const knownAs of ids) {
      const price = findVendorPrice(prices, priceId, knownAs, now)
      if (price?.origin.match === 'exact') return { knownAs, provider, pricing: price.pricing }
    }
  }
  return null
}
