import { expect, test } from 'vitest'
import { readHistory } from './read-history.ts'
import { createHome } from './testing/log-home.ts'

/** 1,000 tokens of each kind, of a model whose price per million tokens is known: 15 for input and 75 for output. */
const answer = (id: string, model: string, timestamp: string, more = {}) => ({
  ...{ type: 'assistant', timestamp, sessionId: 's1', requestId: id },
  message: {
    ...{ id, role: 'assistant', model },
    usage: {
      ...{ input_tokens: 1_000, cache_read_input_tokens: 1_000, output_tokens: 1_000 },
      cache_creation_input_tokens: 2_000,
      cache_creation: { ephemeral_5m_input_tokens: 1_000, ephemeral_1h_input_tokens: 1_000 },
      ...more,
    },
  },
})

const place = () =>
  createHome({
    '.claude/projects/shop/s1.jsonl': [
      answer('1', 'claude-opus-4-1', '2026-11-19T10:00:00Z'),
      answer('2', 'claude-opus-4-1', '2026-11-20T10:00:00Z', { server_tool_use: { web_search_requests: 2 } }),
      answer('3', 'claude-of-tomorrow', '2026-11-21T10:00:00Z'),
      answer('4', 'claude-opus-4-1', 'never'),
    ],
  })

test('a tool has its sums, in all and by model, at list prices, and what was not counted', async () => {
  const { home, env } = place()
  const [claude, ...others] = await readHistory({ home, env })
  // Input 0.015, read 0.0015, written for five minutes 0.01875, for an hour 0.03, output 0.075; a search is 0.01.
  const cost = 0.14025
  const tokens = {
    ...{ input: 2_000, cacheRead: 2_000, cacheWrite5m: 2_000, cacheWrite1h: 2_000 },
    ...{ output: 2_000, reasoning: 0 },
  }
  expect(claude).toMatchObject({
    ...{ tool: 'claude-code', calls: 3, webSearches: 2, unpricedCalls: 1, comparison: null },
    ...{ firstAt: '2026-11-19T10:00:00.000Z', lastAt: '2026-11-21T10:00:00.000Z' },
    notCounted: [{ count: 1, tokens: 5_000, noun: 'call', because: expect.any(String) }],
  })
  expect(claude?.costUsd).toBeCloseTo(2 * cost + 0.02, 9)
  expect(claude?.models).toMatchObject([
    { model: 'claude-opus-4-1', calls: 2, tokens, unpricedCalls: 0 },
    { model: 'claude-of-tomorrow', calls: 1, costUsd: 0, unpricedCalls: 1 },
  ])
  expect(others.map(({ tool, calls, firstAt }) => [tool, calls, firstAt])).toEqual(
    ['codex', 'gemini', 'opencode', 'kilo', 'qwen', 'copilot', 'pi', 'cline'].map((tool) => [tool, 0, null]),
  )
})

test('one tool, and calls from a moment on, can be chosen', async () => {
  const { home, env } = place()
  const chosen = await readHistory({ home, env, tool: 'claude-code', since: Date.UTC(2026, 10, 21) })
  expect(chosen.map(({ tool, calls }) => [tool, calls])).toEqual([['claude-code', 1]])
})

test('a tier with other prices is priced, and a model of another provider', async () => {
  const { home, env } = createHome({
    '.claude/projects/shop/s1.jsonl': [
      answer('1', 'claude-opus-4-8', '2026-11-20T10:00:00Z', { speed: 'fast' }),
    ],
    '.pi/agent/sessions/p/s.jsonl': [
      {
        ...{ type: 'message', id: 'e1' },
        message: {
          ...{ role: 'assistant', model: 'gpt-4o', provider: 'tollgate', timestamp: Date.UTC(2026, 10, 20) },
          usage: { input: 1_000_000, output: 100_000 },
        },
      },
    ],
  })
  const histories = await readHistory({ home, env })
  const costs = new Map(histories.map(({ tool, costUsd }) => [tool, costUsd]))
  // Twice 0.005, 0.0005, 0.00625, 0.01 and 0.025.
  expect(costs.get('claude-code')).toBeCloseTo(0.0935, 9)
  expect(costs.get('pi')).toBeCloseTo(2.5 + 1, 9)
})
