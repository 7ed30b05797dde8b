import type { Offer } from '../offers.ts'

/** An unpriced model without capabilities; `over` replaces the fields that a test is about. */
export function testOffer(over: Partial<Offer> = {}): Offer {
  return {
    id: 'm',
    providerId: 'p',
    upstreamModel: 'm',
    vendorModel: 'm',
    name: 'm',
    created: 0,
    contextWindow: null,
    maxOutputTokens: null,
    capabilities: [],
    retirement: null,
    capabilitiesKnown: false,
    price: null,
    ...over,
  }
}
