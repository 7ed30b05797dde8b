import { expect, test } from 'vitest'
import { createHome, readHome, sumRows } from '../testing/log-home.ts'
import { cline } from './cline.ts'

const DIR = '.cline/data/sessions/100_1'
const read = async (files: Parameters<typeof createHome>[0]) => readHome(cline, createHome(files))

const TIME = Date.UTC(2026, 10, 20, 10)
const counts = (calls: number) => ({
  ...{ inputTokens: 1_000 * calls, outputTokens: 219 * calls, cacheReadTokens: 400 * calls },
  cacheWriteTokens: 10 * calls,
})
const answer = (id: string, ts = TIME) => ({
  ...{ id, role: 'assistant', content: [], ts, metrics: counts(1) },
  modelInfo: { id: 'gpt-5.5', provider: 'openai-compatible' },
})
const messages = (...list: object[]) =>
  JSON.stringify({ version: 1, agent: 'lead', messages: [{ id: 'u', role: 'user', ts: TIME }, ...list] })
const about = (calls: number) =>
  JSON.stringify({
    ...{ session_id: '100_1', cwd: '/work/shop', model: 'gpt-5.5', provider: 'openai-compatible' },
    metadata: { git: { branch: 'main' }, usage: counts(1), aggregateUsage: counts(calls) },
  })
const calls = (count: number) => ({
  ...{
    calls: count,
    input: 590 * count,
    cacheRead: 400 * count,
    cacheWrite5m: 10 * count,
    output: 219 * count,
  },
})

test('the answers of a session and its agents are rows, and their sum is compared with that of the tool', async () => {
  const { rows, comparison } = await read({
    [`${DIR}/100_1.messages.json`]: messages(answer('m1'), answer('m2')),
    [`${DIR}/100_1.json`]: about(4),
    [`${DIR}/agent-1.messages.json`]: messages(answer('m3')),
  })
  expect(sumRows(rows)).toEqual(calls(3))
  expect(rows.map(({ agent }) => agent)).toEqual([null, null, 'agent-1'])
  expect(rows[0]).toMatchObject({
    ...{ model: 'gpt-5.5', provider: 'openai-compatible', session: '100_1', project: '/work/shop' },
    ...{ branch: 'main', time: TIME, answerId: null },
  })
  expect(comparison).toEqual({ sessions: 1, statedTokens: 4_876, countedTokens: 3_657 })
})

test('a copied session counts once, and one without a description counts', async () => {
  const { rows, comparison } = await read({
    [`${DIR}/100_1.messages.json`]: messages(answer('m1')),
    [`${DIR}/100_1.json`]: about(1),
    [`${DIR.replace('100_1', '200_2')}/200_2.messages.json`]: messages(answer('m1'), answer('m2', TIME + 1)),
  })
  expect([sumRows(rows), comparison]).toEqual([calls(2), null])
})

test('a damaged file and one that is too large are reported', async () => {
  const { rows, skipped } = await read({
    [`${DIR}/100_1.messages.json`]: messages(answer('m1')),
    [`${DIR}/agent-1.messages.json`]: messages(answer('m2')).slice(0, -2),
    [`${DIR}/agent-2.messages.json`]: Buffer.alloc(65 * 1024 * 1024),
  })
  expect(sumRows(rows)).toEqual(calls(1))
  expect(skipped).toEqual([
    { reason: 'damaged-file', count: 1, tokens: 0 },
    { reason: 'large-file', count: 1, tokens: 0 },
  ])
})
