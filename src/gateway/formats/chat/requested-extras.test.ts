import { expect, test } from 'vitest'
import { PriceDatabase } from '../../models/catalog/price-database.ts'
import { findVendorPrice } from '../../models/catalog/price-sources.ts'
import { findUnpriced } from '../../request/bound.ts'
import { type AskedModel, readExtras } from './requested-extras.ts'

const model: AskedModel = { id: 'some-model', searches: 'never' }
const gpt5: AskedModel = { id: 'gpt-5', searches: 'never' }

test.each<[string, object, number | undefined]>([
  ['nothing', {}, undefined],
  ['functions only', { tools: [{ type: 'function', function: { name: 'web_search' } }] }, undefined],
  ['a function of Anthropic', { tools: [{ name: 'googleSearch', input_schema: {} }] }, undefined],
  ['a search of OpenAI', { tools: [{ type: 'web_search' }] }, 10],
  ['a limited number of calls', { tools: [{ type: 'web_search' }], max_tool_calls: 4 }, 4],
  ['a search of Anthropic', { tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 8 }] }, 8],
  ['a search of Google', { tools: [{ googleSearch: {} }] }, 10],
  ['the older search of Google', { tools: [{ google_search_retrieval: {} }] }, 10],
  ['a chat with search', { web_search_options: {} }, 10],
  ['an odd limit', { tools: [{ type: 'web_search', max_uses: 'many' }] }, 10],
])('a request with %s reserves its searches', (_, request, searches) => {
  expect(readExtras({ ...request }, model).searches.webSearches).toBe(searches)
})

test('models that are billed once for all searches reserve one', () => {
  const google = { tools: [{ googleSearch: {} }] }
  expect(readExtras(google, { id: 'gemini-2.5-flash', searches: 'never' }).searches.webSearches).toBe(1)
  expect(readExtras({}, { id: 'gpt-4o-search-preview', searches: 'once' }).searches.webSearches).toBe(1)
})

test('a request in another tier reserves its prices', () => {
  expect(readExtras({ service_tier: 'fast' }, model).tier?.name).toBe('priority')
  expect(readExtras({ serviceTier: 'FLEX' }, model).tier).toEqual({ param: 'serviceTier', name: 'flex' })
  expect(readExtras({ speed: 'fast' }, model).tier).toEqual({ param: 'speed', name: 'fast' })
  expect(readExtras({ speed: 'fast', inference_geo: 'us' }, model).tier?.name).toBe('fast and us')
  expect(readExtras({ service_tier: 'brand-new' }, model).tier?.name).toBe('unknown')
  for (const service_tier of ['auto', 'default', 'standard_only', 'on_demand', null, 7])
    expect(readExtras({ service_tier }, model).tier).toBeNull()
})

const NOON = new Date('2026-11-20T12:00:00Z')
const prices = new PriceDatabase()
function nameUnpriced(vendor: string, id: string, request: object, isStrict = false): string | null {
  const price = findVendorPrice(prices, vendor, id, NOON)
  if (!price) throw new Error(`no price of ${id}`)
  return (
    findUnpriced(readExtras({ ...request }, { id, searches: 'never' }), price, { model: id, isStrict })
      ?.param ?? null
  )
}

const plain = { type: 'function', name: 'f' }

test.each<[string, string, object, string]>([
  ['openai', 'gpt-5', { tools: [plain, { type: 'image_generation' }] }, 'tools[1]'],
  ['openai', 'gpt-5', { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] }, 'tools[0]'],
  ['openai', 'gpt-5', { tools: [{ type: 'shell', environment: { type: 'container_auto' } }] }, 'tools[0]'],
  [
    'openai',
    'gpt-5',
    { tools: [{ type: 'namespace', tools: [plain, { type: 'new_tool' }] }] },
    'tools[0].tools[1]',
  ],
  [
    'openai',
    'gpt-5',
    { input: [{ type: 'additional_tools', tools: [{ type: 'image_generation' }] }] },
    'input[0].tools[0]',
  ],
  [
    'openai',
    'gpt-5',
    {
      input: [
        { role: 'user', content: 'Hi' },
        { type: 'tool_search_output', tools: [{ type: 'namespace', tools: [{ type: 'code_interpreter' }] }] },
      ],
    },
    'input[1].tools[0].tools[0]',
  ],
  [
    'openai',
    'gpt-5',
    { messages: [{ role: 'system', content: 'Hi', tools: [{ type: 'code_runner' }] }] },
    'messages[0].tools[0]',
  ],
  ['openai', 'gpt-5', { tools: [{ type: 'tool_of_tomorrow' }] }, 'tools[0]'],
  ['openai', 'gpt-5', { prompt: { id: 'pmpt_1' } }, 'prompt'],
  ['openai', 'gpt-5', { service_tier: 'scale' }, 'service_tier'],
  ['openai', 'gpt-5', { service_tier: 'tomorrow' }, 'service_tier'],
  ['openai', 'gpt-4.1', { tools: [{ type: 'web_search_preview' }] }, 'tools[0]'],
  ['anthropic', 'claude-opus-5', { tools: [{ type: 'code_execution_20250825' }] }, 'tools[0]'],
  ['anthropic', 'claude-opus-5', { tools: [{ type: 'advisor_20260301' }] }, 'tools[0]'],
  [
    'anthropic',
    'claude-opus-5',
    {
      messages: [
        { content: [{ type: 'tool_addition', tool: { definition: { type: 'advisor_20260301' } } }] },
      ],
    },
    'messages[0].content[0].tool',
  ],
  [
    'anthropic',
    'claude-opus-5',
    {
      messages: [
        {
          content: [
            {
              type: 'compaction',
              tool_changes: [
                { type: 'tool_addition', tool: { definition: { type: 'code_execution_20250825' } } },
              ],
            },
          ],
        },
      ],
    },
    'messages[0].content[0].tool_changes[0].tool',
  ],
  ['anthropic', 'claude-opus-5', { service_tier: 'priority' }, 'service_tier'],
  ['anthropic', 'claude-opus-5-5', { speed: 'fast' }, 'speed'],
  ['anthropic', 'claude-opus-5', { speed: 'fast', inference_geo: 'us' }, 'inference_geo'],
  ['google', 'gemini-2.5-flash', { tools: [{ google_search: {} }, { googleMaps: {} }] }, 'tools[1]'],
  ['google', 'gemini-2.5-flash', { tools: [{ enterpriseWebSearch: {} }] }, 'tools[0]'],
  ['google', 'gemini-2.5-flash', { tools: { googleMaps: {} } }, 'tools'],
  ['google', 'gemini-2.5-flash', { serviceTier: 'priority' }, 'serviceTier'],
  [
    'google',
    'gemini-2.5-pro',
    { generationConfig: { responseModalities: ['AUDIO'] } },
    'generationConfig.responseModalities',
  ],
  [
    'google',
    'gemini-2.5-flash',
    { generationConfig: { routingConfig: { manualMode: { modelName: 'gemini-2.5-pro' } } } },
    'generationConfig.routingConfig',
  ],
  ['mistral', 'mistral-medium-latest', { modalities: ['text', 'audio'] }, 'modalities'],
  ['x-ai', 'grok-4', { search_parameters: { mode: 'on' } }, 'search_parameters'],
  ['mistral', 'mistral-medium-latest', { plugins: [{ id: 'web' }] }, 'plugins[0]'],
  ['mistral', 'mistral-medium-latest', { enable_search: true }, 'enable_search'],
])('%s bills %s for %j at no known price', (vendor, id, request, param) => {
  expect(nameUnpriced(vendor, id, request)).toBe(param)
})

test.each<[string, string, object]>([
  ['openai', 'gpt-5', { tools: [{ type: 'web_search' }, { type: 'file_search' }, { type: 'mcp' }] }],
  ['openai', 'gpt-5', { tools: [{ type: 'local_shell' }, { type: 'shell' }, { type: 'apply_patch' }] }],
  [
    'openai',
    'gpt-5',
    {
      tools: [
        { type: 'namespace', tools: [plain] },
        { type: 'custom', name: 'x' },
      ],
    },
  ],
  ['openai', 'gpt-5', { service_tier: 'priority' }],
  ['openai', 'gpt-5', { prompt: ['a', 'b'], n: 2 }],
  ['openai', 'gpt-5', { prompt: [[1, 2]] }],
  ['openai', 'gpt-4.1', { tools: [{ type: 'web_search' }] }],
  ['openai', 'gpt-audio', { modalities: ['text', 'audio'] }],
  ['openai', 'gpt-4o-audio-preview', { modalities: ['text', 'audio'] }],
  ['openai', 'gpt-4o', { modalities: ['text'] }],
  ['openai', 'gpt-4o-mini-search-preview', { web_search_options: {} }],
  [
    'anthropic',
    'claude-opus-5',
    { tools: [{ type: 'text_editor_20250728' }, { name: 'f', input_schema: {} }] },
  ],
  [
    'anthropic',
    'claude-opus-5',
    { tools: [{ type: 'web_fetch_20260209' }, { type: 'code_execution_20260120' }] },
  ],
  ['anthropic', 'claude-opus-5', { speed: 'fast' }],
  ['anthropic', 'claude-opus-5-5', { inference_geo: 'us' }],
  [
    'google',
    'gemini-2.5-flash',
    { tools: [{ googleSearch: {} }, { urlContext: {} }, { codeExecution: {} }] },
  ],
  [
    'google',
    'gemini-2.5-flash',
    { tools: [{ function_declarations: [{ name: 'f' }] }], serviceTier: 'flex' },
  ],
  ['x-ai', 'grok-4', { enable_search: false, plugins: [], data_sources: [] }],
])('%s bills %s for %j at known prices', (vendor, id, request) => {
  expect(nameUnpriced(vendor, id, request)).toBeNull()
})

test('what has no price can be given one, where the price has a member for it', () => {
  const price = findVendorPrice(prices, 'x-ai', 'grok-4', NOON)
  if (!price) throw new Error('no price')
  const strictness = { model: 'grok-4', isStrict: false }
  const find = (request: object) => findUnpriced(readExtras({ ...request }, gpt5), price, strictness)?.remedy
  expect(find({ tools: [{ type: 'web_search' }] })).toContain('perThousandWebSearches')
  expect(find({ service_tier: 'flex' })).toContain('tierFactors')
  expect(find({ tools: [{ type: 'x_search' }] })).toBe('Leave it out')
})

test('under a strict limit, searches need a limit', () => {
  const search = { type: 'web_search_20250305', name: 'web_search' }
  const find = (id: string, request: object) =>
    nameUnpriced(id.startsWith('g') ? 'google' : 'anthropic', id, request, true)
  expect(find('claude-opus-5', { tools: [search] })).toBe('tools[0]')
  expect(find('claude-opus-5', { tools: [{ ...search, max_uses: 3 }] })).toBeNull()
  expect(find('claude-opus-5', { tools: [search], max_tool_calls: 3 })).toBeNull()
  expect(find('gemini-2.5-flash', { tools: [{ googleSearch: {} }] })).toBeNull()
  expect(find('gemini-3-pro-preview', { tools: [{ googleSearch: {} }] })).toBe('tools[0]')
})
