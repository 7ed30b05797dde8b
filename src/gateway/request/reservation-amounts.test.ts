import { expect, test } from 'vitest'
import type { PriceOrigin } from '../../shared/api/models.ts'
import type { ChatRequest } from '../../shared/formats/chat.ts'
import { TRANSLATED } from '../formats/chat/events.ts'
import { createFlatPrice } from '../models/catalog/price-bands.ts'
import { testOffer } from '../models/catalog/testing/offer.ts'
import { testTarget } from '../upstream/testing/test-upstream.ts'
import { Forecast } from './forecast.ts'
import { amountsFor, type Candidate } from './worst-case.ts'

function candidate(id: string, perMillion: number, match: PriceOrigin['match'] = 'exact'): Candidate {
  const offer = testOffer({
    id,
    upstreamModel: id,
    maxOutputTokens: 8_000,
    price: createFlatPrice(
      { inputPerMillion: perMillion, outputPerMillion: perMillion },
      { source: 'user', match, asOf: null },
    ),
  })
  return {
    offer,
    target: testTarget(''),
    encoded: null,
    calls: 1,
    mode: TRANSLATED,
    refusal: null,
    bound: { calls: 1, prompt: 500, external: false, output: 8_000 },
    shortenedTo: null,
  }
}

const plain: ChatRequest = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] }
const amounts = (candidates: Candidate[], request = plain, forecast = new Forecast()) =>
  amountsFor(candidates, { request, keyId: 'key_a', discountPercent: 0, isStrict: false }, forecast)

test('a plain call reserves its output limit, at the price of the most expensive candidate', () => {
  const worst = 8_500 * 3_000
  expect(amounts([candidate('cheap', 1), candidate('expensive', 3)])).toEqual({
    min: worst,
    max: worst,
    worst,
  })
})

test('a stream reserves its prompt and a likely output, for each choice', () => {
  expect(amounts([candidate('m', 1)], { ...plain, stream: true })).toEqual({
    min: 500_000,
    max: 1_500_000,
    worst: 8_500_000,
  })
  expect(amounts([candidate('m', 1)], { ...plain, stream: true, n: 3 }).max).toBe(3_500_000)
})

test('a price that is only an approximate match is taken twice', () => {
  expect(amounts([candidate('m', 1, 'approximate')]).max).toBe(2 * 8_500_000)
})

test('what usage has shown multiplies the next reservation of that model', () => {
  const forecast = new Forecast()
  forecast.observe({ keyId: 'key_a', model: 'p/m', tokensOut: 10, costNano: 300, baseNano: 100 })
  expect(amounts([candidate('m', 1)], plain, forecast).max).toBe(3 * 8_500_000)
})
