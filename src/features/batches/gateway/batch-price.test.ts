import { expect, test } from 'vitest'
import type { Offer } from '../../../gateway/models/catalog/offers.ts'
import { createPriceByPrompt } from '../../../gateway/models/catalog/price-bands.ts'
import type { PriceOrigin, Pricing } from '../../../shared/api/models.ts'
import { computeMost, createBatchPrice, toBatchModel, toBatchOffer } from './batch-price.ts'

const EXACT: PriceOrigin = { source: 'database', match: 'exact', asOf: null }
const USUAL: Pricing = {
  inputPerMillion: 2,
  outputPerMillion: 8,
  cacheReadPerMillion: 0.5,
  perThousandWebSearches: 10,
}
const bands = (pricing: Pricing) =>
  [
    { above: 0, pricing },
    { above: 272_000, pricing: { ...pricing, inputPerMillion: 4 } },
  ] as const

test.each([
  ['half for OpenAI, caches included, but not its searches', 'openai', {}, 0.5, 'exact'],
  ['half for Anthropic', 'anthropic', {}, 0.5, 'exact'],
  ['what the price says of batches', 'mine', { tierFactors: { batch: 0.25 } }, 0.25, 'exact'],
  ['the usual price for others, as an estimate', 'mine', {}, 1, 'approximate'],
])('the price of a batch is %s', (_what, provider, more, factor, match) => {
  const price = createBatchPrice(createPriceByPrompt([...bands({ ...USUAL, ...more })], EXACT), provider)
  expect(price.origin.match).toBe(match)
  expect(price.rates(1_000, 'batch')).toMatchObject({
    input: 2 * factor,
    output: 8 * factor,
    cacheRead: 0.5 * factor,
  })
  expect(price.rates(300_000, 'batch')).toMatchObject({ input: 4 * factor, webSearches: 10_000 })
})

test.each([
  ['a price that was taken from a similar model', 'approximate', 1, 2],
  ['usage that has exceeded its bounds before', 'exact', 1.5, 1.5],
] as const)('a line reserves more for %s', (_what, match, learned, margin) => {
  const price = createPriceByPrompt([...bands(USUAL)], { ...EXACT, match })
  const offer: Offer = {
    ...{ id: 'm', providerId: 'openai', upstreamModel: 'm', vendorModel: 'm', name: 'm', created: 0 },
    ...{
      contextWindow: null,
      maxOutputTokens: null,
      capabilities: [],
      capabilitiesKnown: true,
      price,
      retirement: null,
    },
  }
  const model = toBatchModel(offer, { factor: () => learned })
  const most = computeMost(model, toBatchOffer(model), { model: 0, prompt: 1_000, output: 500 }, 0)
  expect(most).toBe((1_000 * 1 + 500 * 4) * 1_000 * margin)
})
