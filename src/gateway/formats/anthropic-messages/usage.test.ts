import { expect, test } from 'vitest'
import { readAnthropicUsage } from './usage.ts'

const usage = { input_tokens: 8, output_tokens: 7 }

test('counts the searches of the web that Anthropic ran', () => {
  const searched = { ...usage, server_tool_use: { web_search_requests: 3, web_fetch_requests: 1 } }
  expect(readAnthropicUsage(searched)?.buckets.webSearches).toBe(3)
  for (const server_tool_use of [null, {}, { web_search_requests: 0 }, { web_search_requests: 'many' }])
    expect(readAnthropicUsage({ ...usage, server_tool_use })?.buckets).not.toHaveProperty('webSearches')
})

const counts = { input_tokens: 10, cache_read_input_tokens: 5, output_tokens: 3 }

test('calls that the totals do not contain are added, each with its own prompt', () => {
  const iterations = [
    { type: 'message', ...counts },
    { type: 'compaction', input_tokens: 100, cache_creation_input_tokens: 7, output_tokens: 40 },
  ]
  const usage = readAnthropicUsage({ ...counts, iterations })
  expect(usage?.buckets).toMatchObject({ input: 110, cacheRead: 5, cacheWrite5m: 7, output: 43 })
  expect(usage?.calls).toMatchObject([
    { input: 10, output: 3 },
    { input: 100, output: 40 },
  ])
  expect(usage).not.toHaveProperty('otherTier')
  expect(readAnthropicUsage({ ...counts, iterations: iterations.slice(0, 1) })).not.toHaveProperty('calls')
})

test.each([
  [{ speed: 'fast' }, 'fast'],
  [{ inference_geo: 'us' }, 'us'],
  [{ iterations: [{ type: 'advisor_message', model: 'claude-opus-5', ...counts }] }, 'advisor'],
  [{ service_tier: 'priority' }, 'priority'],
  [{ speed: 'standard', inference_geo: 'global', iterations: null }, undefined],
])('%j is billed in the tier %s', (more, tier) => {
  expect(readAnthropicUsage({ ...counts, ...more })?.otherTier).toBe(tier)
})
