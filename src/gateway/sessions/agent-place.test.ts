import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../testing/gateway.ts'
import { readAgent } from './agent-place.ts'

const claude = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [`x-claude-code-${name}`, value]))
const main = { id: null, parentId: null, type: null, role: 'main', toolMs: {} }

test.each([
  [{}, null],
  [claude({ 'session-id': 's' }), null],
  [claude({ 'request-class': 'main' }), main],
  [claude({ 'prev-tool-durations': 'Bash=742;Read=9;Bash=8' }), { ...main, toolMs: { Bash: 750, Read: 9 } }],
  [
    claude({
      'agent-id': 'a2',
      'parent-agent-id': 'a1',
      'agent-type': 'Explore',
      'request-class': 'subagent',
    }),
    { id: 'a2', parentId: 'a1', type: 'Explore', role: 'subagent', toolMs: {} },
  ],
  [claude({ 'agent-id': 'a2', 'request-class': 'of the future' }), { ...main, id: 'a2', role: 'subagent' }],
  [claude({ 'request-class': 'compaction' }), { ...main, role: 'compaction' }],
  [
    { 'x-openai-subagent': 'compact', 'thread-id': 't' },
    { ...main, type: 'compact', role: 'compaction' },
  ],
  [
    { 'x-openai-subagent': 'review', 'thread-id': 't2', 'x-codex-parent-thread-id': 't1' },
    { id: 't2', parentId: 't1', type: 'review', role: 'subagent', toolMs: {} },
  ],
  [
    { 'x-session-id': 'ses_b', 'x-parent-session-id': 'ses_a' },
    { ...main, id: 'ses_b', role: 'subagent' },
  ],
  [
    { 'x-opencode-session': 'ses_b', 'x-parent-session-id': 'ses_a' },
    { ...main, id: 'ses_b', role: 'subagent' },
  ],
  [{ 'x-session-id': 'ses_a', 'x-parent-session-id': 'ses_a' }, null],
  // Names with hidden characters and very long ones are left out.
  [claude({ 'request-class': 'main', 'agent-type': 'a\u202eb', 'agent-id': 'x'.repeat(101) }), main],
  [claude({ 'request-class': 'main', 'prev-tool-durations': 'Bash=-1' }), main],
  [claude({ 'request-class': 'main', 'prev-tool-durations': '__proto__=1' }), main],
])('%j is read as %j', (headers, agent) => {
  expect(readAgent(headers)).toEqual(agent)
})

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.close())

test('the record of a request has its place, also after a restart and where the request was refused', async () => {
  const headers = claude({
    'session-id': 'one',
    'agent-id': 'a2',
    'parent-agent-id': 'a1',
    'agent-type': 'Explore',
    'request-class': 'subagent',
    'prev-tool-durations': 'Bash=742',
  })
  const key = await gateway.createKey({ name: 'none', scope: 'full', spendLimitUsd: 0 })
  await gateway.chat({}, { headers })
  await gateway.chat({}, { headers, as: key.secret })
  await gateway.chat({})
  await gateway.restart()
  const agent = { id: 'a2', parentId: 'a1', type: 'Explore', role: 'subagent', toolMs: { Bash: 742 } }
  const records = await gateway.records()
  expect(records.map(({ status, agent: place }) => [status, place])).toEqual([
    ['succeeded', null],
    ['refused', agent],
    ['succeeded', agent],
  ])
})
