// Owns what one provider offers of one model, put together from the provider's list, the price database, the families
// and the user's override. Knows nothing of routing.
import { z } from 'zod'
import { Capability, type ModelOverride, Pricing } from '../../shared/models.ts'
import { knownProvider } from '../providers/known-providers.ts'
import { isLocal } from '../providers/views.ts'
import { SANDBOX_ID, sandboxModels } from '../sandbox/models.ts'
import type { StoredProvider } from '../store/store.ts'
import { modelFacts } from './model-facts.ts'
import { familyOf } from './model-families.ts'
import { flatPrice, type Price, pricedModel } from './prices.ts'

/** What a provider's list said of a model, as it is kept. */
export const Listing = z.object({
  name: z.string().optional(),
  created: z.number().optional(),
  contextWindow: z.number().optional(),
  maxOutputTokens: z.number().optional(),
  capabilities: z.array(Capability).optional(),
  pricing: Pricing.optional(),
})
export type Listing = z.infer<typeof Listing>

export interface Offer {
  /** The id that clients use and are told. */
  id: string
  providerId: string
  upstreamModel: string
  name: string
  /** Seconds since the epoch. */
  created: number
  contextWindow: number | null
  maxOutputTokens: number | null
  capabilities: readonly Capability[]
  /** False when the capabilities are only assumed: nothing may be refused on their account. */
  capabilitiesKnown: boolean
  /** Null when nobody knows it. */
  price: Price | null
}

const ASSUMED: readonly Capability[] = ['tools', 'json', 'streaming']

/** What the provider offers under `upstreamModel`, before any override. */
export function offerOf(provider: StoredProvider, upstreamModel: string, listing: Listing, now: Date): Offer {
  if (provider.apiFormat === 'sandbox') return sandboxOffer(upstreamModel, provider.createdAt)
  const vendor = knownProvider(provider.id)
  const priceId = vendor?.priceId
  const known = priceId === undefined ? null : pricedModel(priceId, upstreamModel, now)
  const facts = priceId === undefined ? null : modelFacts(priceId, upstreamModel)
  const family = familyOf(upstreamModel)
  return {
    id: upstreamModel,
    providerId: provider.id,
    upstreamModel,
    name: listing.name ?? known?.name ?? upstreamModel,
    created: listing.created ?? Math.floor(provider.createdAt / 1000),
    contextWindow: listing.contextWindow ?? known?.contextWindow ?? facts?.contextWindow ?? null,
    maxOutputTokens: listing.maxOutputTokens ?? facts?.maxOutputTokens ?? family?.maxOutputTokens ?? null,
    capabilities: listing.capabilities ?? facts?.capabilities ?? family?.capabilities ?? ASSUMED,
    capabilitiesKnown: (listing.capabilities ?? facts ?? family) !== null,
    price: isLocal(provider) ? localPrice() : (listedPrice(listing) ?? known?.price ?? null),
  }
}

/** The offer as the user wants it seen. */
export function overridden(offer: Offer, override: ModelOverride | null): Offer {
  if (!override) return offer
  return {
    ...offer,
    upstreamModel: override.upstreamModel ?? offer.upstreamModel,
    contextWindow: override.contextWindow === undefined ? offer.contextWindow : override.contextWindow,
    maxOutputTokens:
      override.maxOutputTokens === undefined ? offer.maxOutputTokens : override.maxOutputTokens,
    capabilities: override.capabilities ?? offer.capabilities,
    capabilitiesKnown: override.capabilities !== undefined || offer.capabilitiesKnown,
    price: overriddenPrice(offer.price, override.pricing),
  }
}

function overriddenPrice(price: Price | null, pricing: Pricing | null | undefined): Price | null {
  if (pricing === undefined) return price
  return pricing === null ? null : flatPrice(pricing, { source: 'user', match: 'exact', asOf: null })
}

function sandboxOffer(id: string, createdAt: number): Offer {
  const model = sandboxModels.find((row) => row.id === id)
  return {
    id,
    providerId: SANDBOX_ID,
    upstreamModel: id,
    name: model?.name ?? id,
    created: Math.floor(createdAt / 1000),
    contextWindow: model?.contextWindow ?? null,
    maxOutputTokens: model?.maxOutputTokens ?? null,
    capabilities: model?.capabilities ?? [],
    capabilitiesKnown: true,
    price: model ? flatPrice(model.pricing, { source: 'builtin', match: 'exact', asOf: null }) : null,
  }
}

/** What runs on the user's own machine costs nothing, which is not the same as an unknown price. */
function localPrice(): Price {
  return flatPrice(
    { inputPerMillion: 0, outputPerMillion: 0 },
    { source: 'local', match: 'exact', asOf: null },
  )
}

/** A price in the provider's own model list is that provider's word. */
function listedPrice(listing: Listing): Price | null {
  return listing.pricing
    ? flatPrice(listing.pricing, { source: 'provider', match: 'exact', asOf: null })
    : null
}
