import { describe, expect, test } from 'vitest'
import { readUsage } from './usage.ts'

const base = { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 }

describe('readUsage', () => {
  test('counts every token in one bucket', () => {
    const usage = readUsage(
      {
        ...base,
        prompt_tokens_details: { cached_tokens: 40, cache_write_tokens: 10, audio_tokens: 5 },
        completion_tokens_details: { reasoning_tokens: 20, audio_tokens: 3 },
      },
      {},
    )
    expect(usage?.buckets).toEqual({
      input: 45,
      cacheRead: 40,
      cacheWrite5m: 10,
      cacheWrite1h: 0,
      audioInput: 5,
      output: 47,
      audioOutput: 3,
      reasoning: 20,
      cacheReadAudio: 0,
    })
    expect(usage?.asChatUsage).toMatchObject(base)
  })

  test.each([
    ['included, by the total', 150, {}, 50],
    ['inside, against the quirk', 150, { additiveReasoning: true as const }, 50],
    ['in addition, by the total', 170, {}, 70],
    ['inside, where no sum fits', 999, {}, 50],
    [
      'in addition, if no sum matches and the vendor has the quirk',
      999,
      { additiveReasoning: true as const },
      70,
    ],
    ['on top, without a total, for such a vendor', undefined, { additiveReasoning: true as const }, 70],
  ])('counts reasoning %s', (_, total, quirks, output) => {
    const usage = readUsage(
      { ...base, total_tokens: total, completion_tokens_details: { reasoning_tokens: 20 } },
      quirks,
    )
    expect(usage?.buckets).toMatchObject({ output, reasoning: 20 })
    expect(usage?.asChatUsage).toMatchObject({ completion_tokens: output, total_tokens: 100 + output })
  })

  test('adds reasoning that exceeds the completion tokens', () => {
    const usage = readUsage(
      { ...base, completion_tokens_details: { reasoning_tokens: 80 }, total_tokens: 1 },
      {},
    )
    expect(usage?.buckets.output).toBe(130)
  })

  test('reads DeepSeek’s cache hits', () => {
    const usage = readUsage({ ...base, prompt_cache_hit_tokens: 60, prompt_cache_miss_tokens: 40 }, {})
    expect(usage?.buckets).toMatchObject({ input: 40, cacheRead: 60 })
    expect(usage?.asChatUsage).toMatchObject({ prompt_tokens_details: { cached_tokens: 60 } })
  })

  test('reads a reported cost unless it is implausible', () => {
    expect(readUsage({ ...base, cost: 0.0125 }, {})?.costUsd).toBe(0.0125)
    expect(readUsage({ ...base, cost: 0.0125 }, {})?.asChatUsage).not.toHaveProperty('cost')
    expect(readUsage({ ...base, cost: { total_cost: 0.5 } }, {})?.costUsd).toBe(0.5)
    const byok = { ...base, cost: 0.01, is_byok: true, cost_details: { upstream_inference_cost: 0.2 } }
    expect(readUsage(byok, {})?.costUsd).toBeCloseTo(0.21)
    for (const cost of [-1, '0.1', Number.NaN, Number.POSITIVE_INFINITY, 10_001, null]) {
      expect(readUsage({ ...base, cost }, {})?.costUsd).toBeNull()
    }
  })

  test.each([
    ['priority', 'priority'],
    ['fast', 'priority'],
    ['flex', 'flex'],
    ['default', undefined],
    ['on_demand', undefined],
    [null, undefined],
    [{ tier: 'flex' }, undefined],
  ])('marks a service tier with its own prices: %j', (tier, marked) => {
    expect(readUsage(base, {}, tier)?.otherTier).toBe(marked)
  })

  test('takes the cost that xAI reports in ticks', () => {
    expect(readUsage({ ...base, cost_in_usd_ticks: 37_756_000 }, {})?.costUsd).toBe(0.0037756)
    for (const cost_in_usd_ticks of [-1, 1.5, '1', 10_001e10, null])
      expect(readUsage({ ...base, cost_in_usd_ticks }, {})?.costUsd).toBeNull()
  })

  test.each([
    ['missing', undefined],
    ['null', null],
    ['a string', '150'],
    ['empty', {}],
    ['without completion tokens', { prompt_tokens: 1, total_tokens: 1 }],
    ['negative', { ...base, prompt_tokens: -1 }],
    ['text', { ...base, completion_tokens: '50' }],
    ['not a number', { ...base, completion_tokens: Number.NaN }],
    ['fractional', { ...base, completion_tokens: 1.5 }],
    ['beyond reason', { ...base, prompt_tokens: 100_000_001 }],
    ['a trillion', { ...base, completion_tokens: 1e12 }],
    ['of no prompt', { prompt_tokens: 0, completion_tokens: 50, total_tokens: 50 }],
    ['all zeros', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }],
    ['more cached than sent', { ...base, prompt_tokens_details: { cached_tokens: 101 } }],
    ['more audio than output', { ...base, completion_tokens_details: { audio_tokens: 51 } }],
    ['with details that are no counts', { ...base, prompt_tokens_details: { cached_tokens: 'all' } }],
  ])('ignores usage that is %s', (_, usage) => {
    expect(readUsage(usage, {})).toBeNull()
  })

  test.each([
    ['OpenRouter', { server_tool_use: { web_search_requests: 2 } }],
    ['xAI', { num_sources_used: 2 }],
    ['Perplexity', { num_search_queries: 2 }],
  ])('counts the searches that %s reports', (_, counts) => {
    expect(readUsage({ ...base, ...counts }, {})?.buckets.webSearches).toBe(2)
    expect(readUsage(base, {})?.buckets).not.toHaveProperty('webSearches')
  })

  test('treats null details as absent', () => {
    const usage = {
      ...base,
      prompt_tokens_details: null,
      completion_tokens_details: { reasoning_tokens: null },
    }
    expect(readUsage(usage, {})?.buckets).toMatchObject({ input: 100, output: 50 })
  })
})
