import { expect, test } from 'vitest'
import { createHome, readHome, sumRows } from '../testing/log-home.ts'
import { qwen } from './qwen.ts'

const CHAT = '.qwen/projects/-work-shop/chats/s1.jsonl'
const MONTH = '.qwen/usage/token-usage-2026-11.jsonl'
const read = async (files: Parameters<typeof createHome>[0]) => readHome(qwen, createHome(files))

const line = (type: string, more = {}) => ({
  ...{ uuid: 'u1', sessionId: 's1', timestamp: '2026-11-20T10:00:01.000Z', type },
  ...{ cwd: '/work/shop', gitBranch: 'main', ...more },
})
const telemetry = (responseId: string, timestamp = '2026-11-20T10:00:00.000Z') =>
  line('system', {
    subtype: 'ui_telemetry',
    systemPayload: {
      uiEvent: {
        ...{ 'event.name': 'qwen-code.api_response', 'event.timestamp': timestamp, response_id: responseId },
        ...{ model: 'qwen3-coder-plus', input_token_count: 1_000, output_token_count: 219 },
        ...{ cached_content_token_count: 400, thoughts_token_count: 50, total_token_count: 1_219 },
      },
    },
  })
const answer = line('assistant', {
  usageMetadata: { promptTokenCount: 1_000, candidatesTokenCount: 219, totalTokenCount: 1_219 },
})
const monthly = (sessionId: string) => ({
  ...{ schemaVersion: 1, id: 'm1', timestamp: '2026-11-20T10:00:00.000Z', sessionId, source: 'main' },
  ...{ model: 'qwen3-coder-plus', inputTokens: 1_000, outputTokens: 219, cachedTokens: 400 },
  ...{ thoughtsTokens: 50, totalTokens: 1_219 },
})
const CALL = { input: 600, cacheRead: 400, output: 219, reasoning: 50 }
const twice = { calls: 2, input: 1_200, cacheRead: 800, output: 438, reasoning: 100 }

test('a call counts once, also one in the background, which has no answer in the chat', async () => {
  const { rows } = await read({
    [CHAT]: [line('user'), telemetry('resp-1'), answer, telemetry('resp-2')],
    [MONTH]: [monthly('s1'), monthly('s1')],
  })
  expect(sumRows(rows)).toEqual(twice)
  expect(rows[0]).toMatchObject({
    ...{ answerId: 'resp-1', model: 'qwen3-coder-plus', session: 's1', project: '/work/shop' },
    ...{ branch: 'main', time: Date.UTC(2026, 10, 20, 10) },
  })
})

test('the calls of a chat that is gone are those of the month', async () => {
  const { rows } = await read({ [CHAT]: [telemetry('resp-1')], [MONTH]: [monthly('s1'), monthly('s0')] })
  expect(rows.map(({ session, answerId, tokens }) => [session, answerId, tokens])).toEqual([
    ['s1', 'resp-1', expect.objectContaining(CALL)],
    ['s0', null, expect.objectContaining(CALL)],
  ])
})

test('calls whose server gives all answers one id count apart', async () => {
  const lines = [telemetry('resp'), telemetry('resp', '2026-11-20T10:00:02.000Z')]
  expect(sumRows((await read({ [CHAT]: lines })).rows)).toEqual(twice)
})
