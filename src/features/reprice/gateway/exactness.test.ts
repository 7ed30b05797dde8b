import { expect, test } from 'vitest'
import type { Offer } from '../../../gateway/models/catalog/offers.ts'
import { PriceDatabase } from '../../../gateway/models/catalog/price-database.ts'
import { findVendorPrice } from '../../../gateway/models/catalog/price-sources.ts'
import { type Figure, figures } from '../../../gateway/models/catalog/testing/figures.ts'
import { unitFigures } from '../../../gateway/models/catalog/testing/unit-figures.ts'
import { priceUsage } from '../../../gateway/request/charge.ts'
import { planById } from '../../../gateway/spend/account.ts'
import { recordRequest } from '../../../gateway/store/testing/samples.ts'
import { storeWithKeys } from '../../../gateway/store/testing/temp-store.ts'
import type { UsageBuckets } from '../../../shared/api/requests.ts'
import { NO_USAGE } from '../../../shared/api/usage-buckets.ts'
import { Candidate, priceGroups, sizeLimits } from './price-groups.ts'
import { sampleOffer } from './testing/sample-offers.ts'

const NOON = '2026-11-20T12:00:00Z'
const database = new PriceDatabase()
const all = [...figures, ...unitFigures]

/** Models whose price depends on the time of day are two. */
const getId = ({ model, at }: Figure) => (at ? `${model} at ${at}` : model)

function createOffer(figure: Figure): Offer {
  const { vendor, model, at = NOON } = figure
  const price = findVendorPrice(database, vendor, model, new Date(at))
  return sampleOffer(getId(figure), { providerId: vendor, vendorModel: model, price })
}

test.each([
  ['pay-as-you-go', 0],
  ['bundle', 20],
] as const)(
  'on the model that served, requests cost exactly what was charged for them (%s)',
  async (planId, discount) => {
    const plan = planById(planId, {})
    const store = await storeWithKeys('key_a')
    const offers = new Map(all.map((figure) => [`${figure.vendor} ${getId(figure)}`, createOffer(figure)]))
    const record = (figure: Figure, at: number) => {
      const offer = createOffer(figure)
      const usage: UsageBuckets = { ...NO_USAGE, ...figure.usage }
      const toPrice = { calls: [usage], costUsd: null, costStatus: 'exact', tier: figure.tier } as const
      const charge = priceUsage({ price: offer.price, ...toPrice }, plan)
      return recordRequest(store, `req_${at}`, {}, { ...charge, model: offer.id, provider: figure.vendor })
    }
    await Promise.all(all.map(record))
    const limits = sizeLimits([...offers.values()])
    const groups = await store.scan('groupRequests', { sizes: limits })
    expect(groups.reduce((sum, { requests }) => sum + requests, 0)).toBe(all.length)
    for (const offer of offers.values()) {
      if (!offer.price) throw new Error(`no price of ${offer.id}`)
      const candidate = new Candidate(offer, offer.price, limits)
      const own = groups.filter((group) => candidate.served(group))
      const { served, chargedNano, costNano, uncachedNano } = priceGroups(own, candidate, discount)
      expect(served, offer.id).toBeGreaterThan(0)
      expect(costNano, offer.id).toBe(chargedNano)
      // It would have had the same cache.
      expect(uncachedNano, offer.id).toBe(chargedNano)
    }
  },
)
