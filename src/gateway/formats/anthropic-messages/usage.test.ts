import { expect, test } from 'vitest'
import { readAnthropicUsage } from './usage.ts'

const usage = { input_tokens: 8, output_tokens: 7 }

test('counts the searches of the web that Anthropic ran', () => {
  const searched = { ...usage, server_tool_use: { web_search_requests: 3, web_fetch_requests: 1 } }
  expect(readAnthropicUsage(searched)?.buckets.webSearches).toBe(3)
  for (const server_tool_use of [null, {}, { web_search_requests: 0 }, { web_search_requests: 'many' }])
    expect(readAnthropicUsage({ ...usage, server_tool_use })?.buckets).not.toHaveProperty('webSearches')
})
