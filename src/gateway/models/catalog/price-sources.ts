import {
  MAX_MODEL_ID_LENGTH,
  type ModelOverride,
  type PriceOrigin,
  type Pricing,
} from '../../../shared/api/models.ts'
import type { PriceSuggestion } from '../../../shared/api/pricing.ts'
import { knownProviders } from '../providers/known-providers.ts'
import type { KnownProvider } from '../providers/provider-traits.ts'
import { findCorrectedPrice } from './model-data.ts'
import { createFlatPrice, createFreePrice, type Price } from './price-bands.ts'
import type { PriceDatabase, PricedModel } from './price-database.ts'
import { withUnitPrices } from './unit-prices.ts'

/** The prices of one provider's model, by their source. */
export interface PriceCandidates {
  /** The user's: undefined for none, null for a price that the user declared unknown. */
  user?: ModelOverride['pricing']
  /** The sandbox's. */
  builtin?: Pricing | undefined
  /** Whether the provider runs on this machine or in the local network. */
  isLocal?: boolean
  /** The one in the provider's own model list. */
  listed?: Pricing | undefined
  /** The one in the data that Tollgate ships for the vendor's model. */
  corrected?: Price | undefined
  database?: Price | undefined
}

interface PriceSource {
  source: PriceOrigin['source']
  /** The price of this source; undefined when it has none. */
  pick(candidates: PriceCandidates): Price | null | undefined
}

const exact = (source: PriceOrigin['source']): PriceOrigin => ({ source, match: 'exact', asOf: null })

/** The sources from the most to the least trusted: the first one that has a price wins. */
export const PRICE_PRECEDENCE: readonly PriceSource[] = [
  { source: 'user', pick: ({ user }) => user && createFlatPrice(user, exact('user')) },
  { source: 'builtin', pick: ({ builtin }) => builtin && createFlatPrice(builtin, exact('builtin')) },
  { source: 'local', pick: ({ isLocal }) => (isLocal ? createFreePrice(exact('local')) : undefined) },
  { source: 'provider', pick: ({ listed }) => listed && createFlatPrice(listed, exact('provider')) },
  { source: 'override', pick: ({ corrected }) => corrected },
  { source: 'database', pick: ({ database }) => database },
]

/** The price that counts; null when it is unknown. */
export function pickPrice(candidates: PriceCandidates): Price | null {
  for (const { pick } of PRICE_PRECEDENCE) {
    const price = pick(candidates)
    if (price !== undefined) return price
  }
  return null
}

interface VendorModel extends Pick<PriceCandidates, 'corrected' | 'database'> {
  name: string | null
  contextWindow: number | null
}

/** The data about a vendor's model at a moment, from the shipped data and the price database. */
export function findVendorModel(
  database: PriceDatabase,
  vendor: string,
  modelId: string,
  at: Date,
): VendorModel {
  const corrected = findCorrectedPrice(vendor, modelId)
  const match = database.find(vendor, modelId, at)
  // Where the shipped data names the model, an approximate match is another model.
  const named: PricedModel | null = corrected && match?.price.origin.match !== 'exact' ? null : match
  return {
    corrected: corrected ? withUnitPrices(vendor, modelId, corrected) : undefined,
    database: withUnitPrices(vendor, modelId, match?.price),
    name: named?.name ?? null,
    contextWindow: named?.contextWindow ?? null,
  }
}

/** The price of a vendor's model without regard to the user and the provider; null when it is unknown. */
export function findVendorPrice(
  database: PriceDatabase,
  vendor: string,
  modelId: string,
  at: Date,
): Price | null {
  const { corrected, database: known } = findVendorModel(database, vendor, modelId, at)
  return pickPrice({ corrected, database: known })
}

/** Shorter ones are the names of families, such as `gpt`. */
const LEAST_PARTS = 2

type Suggestion = Omit<PriceSuggestion, 'model'>

/** Vendors with prices of their own; clouds have those of others. */
function listPricedVendors(): readonly (KnownProvider & { priceId: string })[] {
  const isPriced = (row: KnownProvider): row is KnownProvider & { priceId: string } =>
    row.priceId !== undefined && row.hosting === undefined
  return knownProviders.filter(isPriced)
}

/** The vendor that has a price for a model of this name; with `named`, only that one. */
export function findVendor(
  id: string,
  prices: PriceDatabase,
  now: Date,
  named: string | null = null,
): KnownProvider | null {
  // Looking up its price takes long for a long id, and keeps the id.
  if (id.length > MAX_MODEL_ID_LENGTH) return null
  const vendors = listPricedVendors().filter((vendor) => named === null || vendor.id === named)
  return vendors.find(({ priceId }) => findVendorPrice(prices, priceId, id, now)) ?? null
}

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
  for (const { name: provider, priceId } of listPricedVendors()) {
    const ids = [name, ...prices.listIds(priceId, name)]
    for (const knownAs of ids) {
      const price = findVendorPrice(prices, priceId, knownAs, now)
      if (price?.origin.match === 'exact') return { knownAs, provider, pricing: price.pricing }
    }
  }
  return null
}
