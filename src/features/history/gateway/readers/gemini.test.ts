import { expect, test } from 'vitest'
import { createHome, readHome, sumRows } from '../testing/log-home.ts'
import { gemini } from './gemini.ts'

const CHATS = '.gemini/tmp/shop/chats'
const read = async (files: Parameters<typeof createHome>[0]) => readHome(gemini, createHome(files))

const header = { sessionId: 's1', projectHash: 'f70a', kind: 'main' }
/** 1,000 of the prompt, 400 of them cached; 169 of the answer, and 50 of thoughts on top of it. */
const answer = (id: string, more = {}) => ({
  ...{ id, timestamp: '2026-11-20T10:00:00.000Z', type: 'gemini', content: '', model: 'gemini-3-pro' },
  tokens: { input: 1_000, output: 169, cached: 400, thoughts: 50, tool: 0, total: 1_219 },
  ...more,
})
const CALL = { calls: 1, input: 600, cacheRead: 400, output: 219, reasoning: 50 }

test('a message that is written again with the results of its tools is one call', async () => {
  const { rows } = await read({
    [`${CHATS}/session-1.jsonl`]: [
      ...[header, { id: 'u1', type: 'user', content: [] }, answer('a1'), { $set: { lastUpdated: 'now' } }],
      answer('a1', { toolCalls: [{ name: 'run_shell_command' }] }),
    ],
  })
  expect(sumRows(rows)).toEqual(CALL)
  expect(rows[0]).toMatchObject({ session: 's1', agent: null, project: 'shop', model: 'gemini-3-pro' })
})

test('messages that are set all at the same time, and an older file of the session, count once', async () => {
  const { rows } = await read({
    [`${CHATS}/session-1.jsonl`]: [
      header,
      answer('a1'),
      { $set: { messages: [answer('a1'), answer('a2')] } },
    ],
    [`${CHATS}/session-1.json`]: JSON.stringify({ sessionId: 's1', messages: [answer('a1'), answer('a0')] }),
  })
  expect(sumRows(rows)).toMatchObject({ calls: 3, input: 1_800, output: 657 })
})

test('what was rewound was used, and what tools add to the prompt is input', async () => {
  const tokens = { input: 1_000, output: 169, cached: 400, thoughts: 50, tool: 80, total: 1_299 }
  const { rows } = await read({
    [`${CHATS}/session-1.jsonl`]: [header, answer('a1', { tokens }), { $rewindTo: 'u1' }],
  })
  expect(sumRows(rows)).toEqual({ ...CALL, input: 680 })
})

test('a sub-agent is a part of the session in whose folder it is', async () => {
  const { rows } = await read({
    [`${CHATS}/session-1.jsonl`]: [header, answer('a1')],
    [`${CHATS}/s1/sub1.jsonl`]: [{ sessionId: 'sub1', kind: 'subagent' }, answer('b1')],
  })
  expect(rows.map(({ session, agent, project }) => [session, agent, project])).toEqual([
    ['s1', null, 'shop'],
    ['s1', 'sub1', 'shop'],
  ])
})

test('a damaged file of an older version is reported', async () => {
  const { rows, skipped } = await read({
    [`${CHATS}/session-1.json`]: '{"messages": [',
    [`${CHATS}/session-2.jsonl`]: [answer('a1')],
  })
  expect([sumRows(rows), skipped]).toEqual([CALL, [{ reason: 'damaged-file', count: 1, tokens: 0 }]])
})
