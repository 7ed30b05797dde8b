import { expect, test } from 'vitest'
import { createHome, readHome, sumRows } from '../testing/log-home.ts'
import { copilot } from './copilot.ts'

const FILE = '.copilot/session-state/s1/events.jsonl'
const read = async (files: Parameters<typeof createHome>[0]) => readHome(copilot, createHome(files))

let events = 0
const event = (type: string, data: object) => ({
  ...{ type, data, id: `event-${events++}`, timestamp: '2026-11-20T10:00:00.000Z', parentId: null },
})
const start = event('session.start', { sessionId: 's1', context: { cwd: '/work/shop', branch: 'main' } })
const counts = (calls: number) => ({
  ...{ inputTokens: 1_000 * calls, outputTokens: 219 * calls, cacheReadTokens: 400 * calls },
  ...{ cacheWriteTokens: 10 * calls, reasoningTokens: 50 * calls },
})
const record = (id: string, sequence: number) =>
  event('session.usage_record', {
    usage: {
      ...{ model: 'gpt-5.5', modelProvider: 'openai', apiCallId: id, ...counts(1) },
      accounting: { sourceSessionId: 's1', sequence, usageId: id },
    },
  })
const metrics = (calls: number) => ({
  'gpt-5.5': { requests: { count: calls, cost: 1 }, usage: counts(calls) },
})
const calls = (count: number) => ({
  ...{ calls: count, input: 590 * count, cacheRead: 400 * count, cacheWrite5m: 10 * count },
  ...{ output: 219 * count, reasoning: 50 * count },
})

test('recorded calls count, and not the sums of the session', async () => {
  const shutdown = event('session.shutdown', { accountingSnapshot: { modelMetrics: metrics(2) } })
  const { rows } = await read({ [FILE]: [start, record('req_1', 1), record('req_2', 2), shutdown] })
  expect(sumRows(rows)).toEqual(calls(2))
  expect(rows[0]).toMatchObject({
    ...{ answerId: 'req_1', model: 'gpt-5.5', provider: 'openai', session: 's1', project: '/work/shop' },
    ...{ branch: 'main', agent: null, time: Date.UTC(2026, 10, 20, 10) },
  })
})

test('the sums of a session without records add up, also where a newer version goes on', async () => {
  const older = [start, ...[2, 3].map((count) => event('session.shutdown', { modelMetrics: metrics(count) }))]
  const newer = [
    record('req_1', 1),
    event('session.shutdown', { accountingSnapshot: { modelMetrics: metrics(6) } }),
  ]
  expect(sumRows((await read({ [FILE]: older })).rows)).toEqual(calls(5))
  expect(sumRows((await read({ [FILE]: [...older, ...newer] })).rows)).toEqual(calls(6))
})

test('records that are in two sessions count once', async () => {
  const lines = [start, record('req_1', 1)]
  const { rows } = await read({ [FILE]: lines, [FILE.replace('s1', 's2')]: [...lines, record('req_2', 2)] })
  expect(sumRows(rows)).toEqual(calls(2))
})
