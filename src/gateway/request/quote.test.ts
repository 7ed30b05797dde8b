import { expect, test } from 'vitest'
import type { PriceOrigin } from '../../shared/api/models.ts'
import type { ChatRequest } from '../../shared/formats/chat.ts'
import type { Offer } from '../models/catalog/offers.ts'
import { createFlatPrice } from '../models/catalog/price-bands.ts'
import { testOffer } from '../models/catalog/testing/offer.ts'
import { Forecast } from './forecast.ts'
import { computeAmounts, Quote } from './quote.ts'

function createOffer(id: string, perMillion: number, match: PriceOrigin['match'] = 'exact'): Offer {
  return testOffer({
    id,
    upstreamModel: id,
    maxOutputTokens: 8_000,
    price: createFlatPrice(
      { inputPerMillion: perMillion, outputPerMillion: perMillion },
      { source: 'user', match, asOf: null },
    ),
  })
}

const plain: ChatRequest = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] }
const bound = { calls: 1, prompt: 500, external: false, output: 8_000 }
const amounts = (offers: Offer[], request = plain, forecast = new Forecast()) => {
  const terms = { request, keyId: 'key_a', discountPercent: 0, isStrict: false }
  return computeAmounts(offers.map((offer) => ({ quote: new Quote({ offer, bound }, terms, forecast) })))
}

test('a plain call reserves its output limit, at the price of the most expensive candidate', () => {
  const worst = 8_500 * 3_000
  expect(amounts([createOffer('cheap', 1), createOffer('expensive', 3)])).toEqual({
    min: worst,
    max: worst,
    worst,
  })
})

test('a stream reserves its prompt and a likely output, for each choice', () => {
  expect(amounts([createOffer('m', 1)], { ...plain, stream: true })).toEqual({
    min: 500_000,
    max: 1_500_000,
    worst: 8_500_000,
  })
  expect(amounts([createOffer('m', 1)], { ...plain, stream: true, n: 3 }).max).toBe(3_500_000)
})

test('a price that is only an approximate match is taken twice', () => {
  expect(amounts([createOffer('m', 1, 'approximate')]).max).toBe(2 * 8_500_000)
})

test('what usage has shown multiplies the next reservation of that model', () => {
  const forecast = new Forecast()
  forecast.observe({ keyId: 'key_a', model: 'p/m', tokensOut: 10, costNano: 300, baseNano: 100 })
  expect(amounts([createOffer('m', 1)], plain, forecast).max).toBe(3 * 8_500_000)
})
