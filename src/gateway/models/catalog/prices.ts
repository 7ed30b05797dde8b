import type { ModelOverride, PriceOrigin, Pricing } from '../../../shared/models.ts'
import { findCorrectedPrice } from './model-data.ts'
import { flatPrice, freePrice, type Price } from './price.ts'
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
  /** The price database's. */
  database?: Price | undefined
}

interface PriceSource {
  source: PriceOrigin['source']
  /** The price of this source; undefined when it has none. */
  pick(candidates: PriceCandidates): Price | null | undefined
}

const exact = (source: PriceOrigin['source']): PriceOrigin => ({ source, match: 'exact', asOf: null })

/** From the most to the least trusted: the first source that has a price wins. */
export const PRICE_PRECEDENCE: readonly PriceSource[] = [
  { source: 'user', pick: ({ user }) => user && flatPrice(user, exact('user')) },
  { source: 'builtin', pick: ({ builtin }) => builtin && flatPrice(builtin, exact('builtin')) },
  { source: 'local', pick: ({ isLocal }) => (isLocal ? freePrice(exact('local')) : undefined) },
  { source: 'provider', pick: ({ listed }) => listed && flatPrice(listed, exact('provider')) },
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

/** What the shipped data and the price database have on a vendor's model at a moment. */
export function findVendorModel(
  database: PriceDatabase,
  vendor: string,
  modelId: string,
  at: Date,
): VendorModel {
  const corrected = findCorrectedPrice(vendor, modelId)
  const found = database.find(vendor, modelId, at)
  // Where the shipped data names the model, an approximate match is another model.
  const named: PricedModel | null = corrected && found?.price.origin.match !== 'exact' ? null : found
  return {
    corrected: corrected ? withUnitPrices(vendor, modelId, corrected) : undefined,
    database: withUnitPrices(vendor, modelId, found?.price),
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
