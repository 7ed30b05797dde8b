import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { tempDirForTest } from '../../gateway/testing/temp-dir.ts'
import { runHere, startCommandHost } from '../testing/command-host.ts'

const answer = (id: string, model: string, timestamp: string) => ({
  ...{ type: 'assistant', timestamp, sessionId: 's1', requestId: id },
  message: { id, role: 'assistant', model, usage: { input_tokens: 1_000_000, output_tokens: 2_000 } },
})
const state = {
  type: 'cost-state',
  sessionId: 's1',
  modelUsage: { any: { inputTokens: 2_004_000, outputTokens: 62 } },
}

function createHome(lines: readonly (object | string)[]): string {
  const home = tempDirForTest()
  const path = join(home, '.claude/projects/shop/s1.jsonl')
  mkdirSync(dirname(path), { recursive: true })
  const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))
  writeFileSync(path, `${texts.join('\n')}\n`)
  return home
}

/** Variables that lead to logs elsewhere. */
const ELSEWHERE = [
  'CLAUDE_CONFIG_DIR',
  'CODEX_HOME',
  'XDG_DATA_HOME',
  'OPENCODE_DB',
  'KILO_DB',
  'COPILOT_HOME',
]

function tryImport(home: string, ...args: string[]) {
  return runHere(['import', '--dry-run', ...args], { env: toEnvironment(home) })
}

function toEnvironment(home: string) {
  const others = Object.fromEntries(ELSEWHERE.map((name) => [name, undefined]))
  return { ...others, HOME: home, USERPROFILE: home, TZ: 'UTC', NO_COLOR: '1' }
}

const LINES = [
  answer('1', 'claude-opus-4-1', '2026-11-19T10:00:00Z'),
  answer('2', 'claude-of-tomorrow', '2026-11-21T10:00:00Z'),
  '{"output_tokens": 3',
  state,
]

test('a dry run prints the sums of each tool, and what is not in them', async () => {
  const { code, stdout, stderr } = await tryImport(createHome(LINES))
  expect(code).toBe(0)
  expect(stderr).toMatch(/No prompt or answer is kept/)
  expect(stdout).toMatch(/^Claude Code +2 +2026-11-19 +2026-11-21 +2,000,000 +0 +0 +4,000 +\$15\.15$/m)
  expect(stdout).toContain('Claude Code: 1 line not counted, because of damage.\n')
  expect(stdout).toContain('1 call without a known price not in the cost (claude-of-tomorrow).\n')
  expect(stdout).toContain('its own totals of 1 session have 62 tokens more than its calls here.\n')
})

test('a dry run of one tool since a day, as JSON', async () => {
  const home = createHome(LINES)
  const { stdout } = await tryImport(home, 'claude-code', '--since', '2026-11-20', '--json')
  expect(JSON.parse(stdout)).toMatchObject([{ tool: 'claude-code', calls: 1, costUsd: 0, comparison: null }])
  expect(await tryImport(home, '--since', 'yesterday')).toMatchObject({ code: 2 })
  expect(await tryImport(home, 'emacs')).toMatchObject({ code: 2 })
})

test('a dry run without any log says where it looked', async () => {
  const { code, stdout } = await tryImport(tempDirForTest(), 'codex')
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/^No calls were found in\n {2}.*\.codex.sessions/),
  ])
})

test('import adds the calls to the history of the gateway, and says what it did', async () => {
  const { tollgateIn, close } = await startCommandHost()
  onTestFinished(close)
  const env = toEnvironment(createHome(LINES))
  const since = await tollgateIn({ env }, 'import', 'claude-code', '--since', '2026-11-20', '--json')
  expect(JSON.parse(since.stdout)).toMatchObject({
    outcome: 'done',
    imported: [{ calls: 1, origin: 'import' }],
  })
  const { code, stdout } = await tollgateIn({ env }, 'import')
  expect([code, stdout]).toEqual([
    0,
    '2 calls of 1 tool since November 19, 2026, 1 of them new. 1 line not counted, because of damage.\n',
  ])
})
