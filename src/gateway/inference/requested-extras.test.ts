import { expect, test } from 'vitest'
import { readExtras } from './requested-extras.ts'

test.each([
  ['nothing', {}, 0],
  ['functions only', { tools: [{ type: 'function', function: { name: 'web_search' } }] }, 0],
  ['a search of OpenAI', { tools: [{ type: 'web_search' }] }, 1],
  ['a limited number of calls', { tools: [{ type: 'web_search' }], max_tool_calls: 4 }, 4],
  ['a search of Anthropic', { tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 8 }] }, 8],
  ['a search of Google', { tools: [{ googleSearch: {} }] }, 1],
  ['the older search of Google', { tools: [{ googleSearchRetrieval: {} }] }, 1],
  ['a search for enterprises of Google', { tools: [{ enterpriseWebSearch: {} }] }, 1],
  ['a chat with search', { web_search_options: {} }, 1],
  ['an odd limit', { tools: [{ type: 'web_search', max_uses: 'many' }] }, 1],
])('a request with %s reserves its searches', (_, request, searches) => {
  expect(readExtras(request).webSearches).toBe(searches)
})

test('a request in another tier reserves its prices', () => {
  expect(readExtras({ service_tier: 'fast' }).tier).toBe('priority')
  expect(readExtras({ serviceTier: 'flex' }).tier).toBe('flex')
  for (const service_tier of ['auto', 'default', null, 7])
    expect(readExtras({ service_tier }).tier).toBeUndefined()
})
