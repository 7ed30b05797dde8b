import type { Offer } from '../../../../gateway/models/catalog/offers.ts'
import { createFlatPrice } from '../../../../gateway/models/catalog/price-bands.ts'

/** A model that can do everything, at 1 USD per million input tokens and 2 USD per million output tokens. */
export function sampleOffer(id: string, patch: Partial<Offer> = {}): Offer {
  return {
    id,
    providerId: 'acme',
    upstreamModel: id,
    vendorModel: id,
    name: id,
    created: 0,
    contextWindow: null,
    maxOutputTokens: null,
    capabilities: ['vision', 'tools', 'json', 'streaming'],
    capabilitiesKnown: true,
    retirement: null,
    price: createFlatPrice(
      { inputPerMillion: 1, outputPerMillion: 2 },
      { source: 'user', match: 'exact', asOf: null },
    ),
    ...patch,
  }
}
