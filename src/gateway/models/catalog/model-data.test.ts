import { expect, test } from 'vitest'
import { findCorrectedPrice, findModelData, modelDataFile } from './model-data.ts'

test('a model is found with or without its release date', () => {
  const gpt4o = {
    contextWindow: 128_000,
    maxOutputTokens: 16_384,
    capabilities: ['vision', 'tools', 'json', 'streaming'],
  }
  expect(findModelData('openai', 'gpt-4o')).toEqual(gpt4o)
  expect(findModelData('openai', 'gpt-4o-2029-01-01')).toEqual(gpt4o)
  expect(findModelData('groq', 'llama-3.1-8b-instant')?.capabilities).not.toContain('vision')
})

test.each([
  ['openai', 'no-such-model'],
  ['no-such-vendor', 'gpt-4o'],
  ['openai', 'constructor'],
  ['__proto__', 'toString'],
])('there is nothing about %s %s', (vendor, id) => {
  expect(findModelData(vendor, id)).toBeNull()
  expect(findCorrectedPrice(vendor, id)).toBeNull()
})

test('a corrected price has the date of its source and the rates of long prompts', () => {
  const price = findCorrectedPrice('openai', 'gpt-6.1-sol-20261015')
  expect(price?.origin).toEqual({
    source: 'override',
    match: 'exact',
    asOf: modelDataFile.sources.models.asOf,
  })
  expect(price?.rates(272_000)).toMatchObject({ input: 2, cacheWrite5m: 2.5, cacheWrite1h: 4 })
  expect(price?.rates(272_001)).toMatchObject({ input: 4, cacheWrite5m: 5, cacheWrite1h: 8 })
})
