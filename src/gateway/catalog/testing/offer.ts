// An offer for tests that are about something else.
import type { Offer } from '../offers.ts'

/** An unpriced model of which nobody knows anything; `over` replaces what a test is about. */
export function testOffer(over: Partial<Offer> = {}): Offer {
  return {
    id: 'm',
    providerId: 'p',
    upstreamModel: 'm',
    name: 'm',
    created: 0,
    contextWindow: null,
    maxOutputTokens: null,
    capabilities: [],
    capabilitiesKnown: false,
    price: null,
    ...over,
  }
}
