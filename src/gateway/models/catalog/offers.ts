import type { Capability, Retirement } from '../../../shared/api/models.ts'
import { isChatModel, isPlan, SANDBOX_ID } from '../../../shared/api/terms.ts'
import { sandboxModels } from '../../sandbox/models.ts'
import { findKnownProvider } from '../providers/known-providers.ts'
import { isLocal } from '../providers/rows.ts'
import { findModelData } from './model-data.ts'
import { findFamily, findVendorId } from './model-families.ts'
import type { OfferSource } from './model-sources.ts'
import type { Price } from './price-bands.ts'
import type { PriceDatabase } from './price-database.ts'
import { findVendorModel, pickPrice } from './price-sources.ts'
import { findRetirement } from './retirements.ts'

export interface Offer {
  /** The id that clients use. */
  id: string
  providerId: string
  upstreamModel: string
  /** The vendor's id, by which more is known about the model; a cloud can have another id for it. */
  vendorModel: string
  name: string
  /** Seconds since the epoch. */
  created: number
  contextWindow: number | null
  maxOutputTokens: number | null
  capabilities: readonly Capability[]
  /** False when the capabilities are only assumed: no request may be refused because of them. */
  capabilitiesKnown: boolean
  /** Null for none that is announced. */
  retirement: Retirement | null
  /** Null when it is unknown, and where a plan pays: nothing is reserved or charged. */
  price: Price | null
  /** The price by the vendor's API where a plan pays: it says what a request is worth. */
  worth?: Price | null
}

const ASSUMED: readonly Capability[] = ['tools', 'json', 'streaming']

/** What the provider offers, with the user's override applied, at the prices of a moment. */
export function createOffer(source: OfferSource, prices: PriceDatabase, now: Date): Offer {
  const { provider, modelId, override } = source
  const offer =
    provider.apiFormat === 'sandbox' ? createSandboxOffer(source) : createProviderOffer(source, prices, now)
  if (!override) return offer
  const { upstreamModel = modelId, contextWindow = offer.contextWindow } = override
  const { maxOutputTokens = offer.maxOutputTokens, capabilities = offer.capabilities } = override
  const capabilitiesKnown = override.capabilities !== undefined || offer.capabilitiesKnown
  return { ...offer, upstreamModel, contextWindow, maxOutputTokens, capabilities, capabilitiesKnown }
}

function createProviderOffer(
  { id, provider, modelId, listing, override }: OfferSource,
  prices: PriceDatabase,
  now: Date,
): Offer {
  const { priceId, modelVendor = priceId } = findKnownProvider(provider.id) ?? {}
  const pricedModel = listing.vendorModel ?? modelId
  const vendorModel = findVendorId(pricedModel)
  const known = priceId === undefined ? null : findVendorModel(prices, priceId, pricedModel, now)
  const data = findModelData(modelVendor, vendorModel) ?? findModelData(priceId, pricedModel)
  const family = findFamily(vendorModel)
  // Lists describe embedding models and the like as if they chatted. Image models do chat at some providers.
  const isOther = family !== null && !isChatModel(family) && !family.capabilities.includes('images')
  const stated = isOther ? family.capabilities : listing.capabilities
  const price = pickPrice({
    user: override?.pricing,
    isLocal: isLocal(provider),
    listed: listing.pricing,
    corrected: known?.corrected,
    database: known?.database,
  })
  return {
    id,
    providerId: provider.id,
    upstreamModel: modelId,
    vendorModel,
    name: listing.name ?? known?.name ?? modelId,
    created: listing.created ?? Math.floor(provider.createdAt / 1000),
    contextWindow: listing.contextWindow ?? known?.contextWindow ?? data?.contextWindow ?? null,
    maxOutputTokens: listing.maxOutputTokens ?? data?.maxOutputTokens ?? family?.maxOutputTokens ?? null,
    capabilities: stated ?? data?.capabilities ?? family?.capabilities ?? ASSUMED,
    capabilitiesKnown: (stated ?? data ?? family) !== null,
    retirement: findRetirement(provider, modelId, listing.retiresOn),
    ...(isPlan(provider.id) ? { price: null, worth: price } : { price }),
  }
}

function createSandboxOffer({ id, provider, modelId, override }: OfferSource): Offer {
  const model = sandboxModels.find((row) => row.id === modelId)
  return {
    id,
    providerId: SANDBOX_ID,
    upstreamModel: modelId,
    vendorModel: modelId,
    name: model?.name ?? modelId,
    created: Math.floor(provider.createdAt / 1000),
    contextWindow: model?.contextWindow ?? null,
    maxOutputTokens: model?.maxOutputTokens ?? null,
    capabilities: model?.capabilities ?? [],
    capabilitiesKnown: true,
    retirement: null,
    price: pickPrice({ user: override?.pricing, builtin: model?.pricing }),
  }
}
