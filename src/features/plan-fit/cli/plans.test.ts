import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startCommandHost } from '../../../cli/testing/command-host.ts'
import { tempDirForTest } from '../../../gateway/testing/temp-dir.ts'

const DAY_MS = 86_400_000

/** A log of Claude Code with a call of 9 USD so many days ago. */
function createHome(...daysAgo: readonly number[]): string {
  const home = tempDirForTest()
  const folder = join(home, '.claude/projects/shop')
  mkdirSync(folder, { recursive: true })
  const lines = daysAgo.map((days) =>
    JSON.stringify({
      ...{ type: 'assistant', timestamp: new Date(Date.now() - days * DAY_MS).toISOString() },
      ...{ sessionId: 's1', requestId: `req_${days}` },
      message: {
        ...{ id: `msg_${days}`, role: 'assistant', model: 'claude-opus-4-1' },
        usage: { input_tokens: 100_000, output_tokens: 100_000 },
      },
    }),
  )
  writeFileSync(join(folder, 's1.jsonl'), `${lines.join('\n')}\n`)
  return home
}

test('plans are compared with the imported use; with little of it, the command says so and fails', async () => {
  const command = await startCommandHost()
  onTestFinished(() => command.close())
  const { code, stdout, stderr } = await command.tollgate('plans')
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toContain('There are only 0 days of use, and an answer needs 14.')

  const home = createHome(0, 1, 2, 3, 5, 8, 13, 21)
  const env = { HOME: home, USERPROFILE: home, CLAUDE_CONFIG_DIR: undefined }
  expect((await command.tollgateIn({ env }, 'import', 'claude-code')).code).toBe(0)
  const answer = await command.tollgate('plans')
  expect([answer.code, answer.stderr]).toEqual([0, ''])
  const rows = answer.stdout.split('\n').map((line) => line.trim().split(/\s{2,}/))
  const find = (name: string) => rows.filter(([first]) => first === name)
  // Eight calls in 21 days.
  expect(answer.stdout).toMatch(
    /^Claude Pro would cost least.*: \$20\.00 per month, instead of \$102\.\d\d by API/,
  )
  expect(find('API alone')).toHaveLength(1)
  expect(find('Claude Pro').map(([, column]) => column)).toEqual(['$20.00', '5 hours', 'A week'])
  // The credits of a month are used up by the second call in it.
  expect(find('Copilot Pro')[0]?.at(-1)).toMatch(/^[A-Z][a-z]{2} \d+/)
  expect(answer.stdout).toContain('- A window begins with the first use after the last one has ended')
  const { plans } = JSON.parse((await command.tollgate('plans', '--days', '90', '--json')).stdout)
  expect(plans[0]).toMatchObject({ id: 'claude-pro', beyondUsd: 0 })
})
