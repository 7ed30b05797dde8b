import { mkdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { getEnd, spawnProgram } from '../gateway/testing/program.ts'
import { tempDirForTest } from '../gateway/testing/temp-dir.ts'
import type { PlanWindow } from '../shared/api/plans.ts'
import type { SpendLimit } from '../shared/api/spend-limits.ts'
import { describeStatus, type Facts, readSessionId, readStatus } from './statusline.ts'
import { startCommandHost } from './testing/command-host.ts'

const limit = (usd: number, spentUsd: number, per: SpendLimit['per'], more = {}) => ({
  ...{ usd, spentUsd, per, ...more },
  reservedUsd: 0,
  resetsAt: null,
})
const key = { id: 'key_1', spendUsd: 1, pausedAt: null, spendLimits: [] }
const account = { todaySpendUsd: 3.21, spendLimits: [] }
const plan = {
  windows: [
    createWindow({ label: '5 hours', utilization: 0.42 }),
    createWindow({ label: 'a week', utilization: null }),
  ],
}

function createWindow(part: Pick<PlanWindow, 'label' | 'utilization'>): PlanWindow {
  return { name: '5h', status: null, lengthMs: null, resetsAt: null, fullAt: null, ...part }
}

test.each<[Partial<Facts>, string]>([
  [{ account }, '$3.21 today'],
  [
    { account: { ...account, spendLimits: [limit(100, 90, 'month')] } },
    '$3.21 today · $10.00 left this month',
  ],
  [
    { key: { ...key, spendUsd: 0.42, spendLimits: [limit(2, 0.42, 'lifetime')] } },
    '$0.42 spent · $1.58 left',
  ],
  [
    {
      session: { costUsd: 0.4, worthUsd: 0, keyId: 'key_1' },
      key: {
        ...key,
        spendLimits: [
          limit(5, 1, 'lifetime'),
          limit(1, 0.4, 'session'),
          limit(0.1, 0, 'day', { action: 'warn' }),
          limit(0.1, 0, 'day', { model: 'other' }),
        ],
      },
    },
    '$0.40 this session · $0.60 left in this session',
  ],
  [{ key: { ...key, spendUsd: 3, spendLimits: [limit(2, 3, 'lifetime')] } }, '$3.00 spent · $0.00 left'],
  [{ key: { ...key, pausedAt: '2026-11-22T00:00:00Z' } }, '$1.00 spent · paused'],
  [
    { session: { costUsd: 0, worthUsd: 1.32, keyId: 'key_1' }, plans: [plan] },
    '$0.00 this session · worth $1.32 · 5 hours 42%',
  ],
])('%j is shown as %j', (facts, line) => {
  expect(describeStatus({ session: null, key: null, account: null, plans: [], ...facts })).toBe(line)
})

test('the session is named by the id that Claude Code writes; anything else is no session', () => {
  const input = JSON.stringify({ session_id: 'abc', model: { display_name: 'Claude' } })
  expect(readSessionId(input)).toBe('abc')
  for (const other of ['', '{', '[]', 'null', '{"session_id":7}']) expect(readSessionId(other)).toBeNull()
})

test('a prompt gets one line: of the session that Claude Code names, of the run, or of the day', async () => {
  const command = await startCommandHost()
  onTestFinished(() => command.close())
  const { client } = command
  const body = { name: 'run', scope: 'completions-only', spendLimitUsd: 2 } as const
  const { id, secret } = await client.call('createKey', { body })
  await fetch(`${command.baseUrl}/v1/messages`, {
    method: 'POST',
    headers: {
      'x-api-key': secret,
      'content-type': 'application/json',
      'x-claude-code-session-id': '0b8e5cbd-0f0e-4f3c-8d2a-3d8a1c1e9f11',
      'user-agent': 'claude-cli/2.1.330 (external, cli)',
    },
    body: JSON.stringify({
      model: 'sandbox-small',
      max_tokens: 100,
      messages: [{ role: 'user', content: 'Hi' }],
    }),
  })
  const line = (runKey: string | undefined, input = '') => readStatus(command.host.dataDir, { runKey, input })
  expect(await line(undefined)).toMatch(/^\$0\.0\d+ today$/)
  expect(await line(id)).toMatch(/^\$0\.0\d+ spent · \$2\.00 left$/)
  const input = JSON.stringify({ session_id: '0b8e5cbd-0f0e-4f3c-8d2a-3d8a1c1e9f11' })
  expect(await line(undefined, input)).toMatch(/^\$0\.0\d+ this session · \$2\.00 left$/)
})

test('a prompt is never held up: without Tollgate, or if it does not answer, nothing is printed', async () => {
  const dir = tempDirForTest()
  const dataDir = join(dir, 'data')
  const env = { ...process.env, TOLLGATE_DATA_DIR: dataDir }
  const silent = { code: 0, signal: null, stdout: '', stderr: '' }
  expect(await getEnd(spawnProgram(['statusline'], { env, input: '{}' }))).toEqual(silent)

  mkdirSync(dataDir, { mode: 0o700 })
  const server = createServer(() => {})
  await new Promise<void>((resolve) => server.listen(join(dataDir, 'tollgate.sock'), resolve))
  onTestFinished(() => void server.close())
  expect(await getEnd(spawnProgram(['statusline'], { env, input: '{}' }))).toEqual(silent)
})
