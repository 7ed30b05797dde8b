import { expect, test } from 'vitest'
import { PriceDatabase } from './price-database.ts'
import { suggestPrice } from './price-sources.ts'

const prices = new PriceDatabase()
const NOW = new Date('2026-11-20T12:00:00Z')
const suggest = (id: string) => {
  const found = suggestPrice(id, prices, NOW)
  return found && [found.knownAs, found.provider, found.match, found.pricing.inputPerMillion]
}

test.each([
  ['gpt-4o', 'gpt-4o', 'OpenAI', 'exact', 2.5],
  ['openai/gpt-4o:extended', 'openai/gpt-4o', 'OpenRouter', 'exact', 2.5],
  ['Acme/GPT-4o', 'gpt-4o', 'OpenAI', 'exact', 2.5],
  ['gpt-4o-mini-for-support', 'gpt-4o-mini', 'OpenAI', 'approximate', 0.15],
  ['llama-3.3-70b-instruct', 'meta-llama/llama-3.3-70b-instruct', 'OpenRouter', 'exact', 0.05],
])('the price of %s is suggested as that of %s at %s (%s)', (id, knownAs, provider, match, input) => {
  expect(suggest(id)).toEqual([knownAs, provider, match, input])
})

test('nothing is suggested for a name that no vendor uses', () => {
  expect(suggest('my-model')).toBeNull()
  expect(suggest('own-model-v2')).toBeNull()
  expect(suggest('gpt')).toBeNull()
})
