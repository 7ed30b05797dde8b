// Another meter, ccusage, on the logs of the tests of `tollgate import`, which state what was used. Where it counts something else, the
// reason is here and in docs/history.md.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { KEEP_HOMES, KeptHome } from '../../features/history/gateway/testing/kept-home.ts'
import type { HistoryTool } from '../../shared/api/history-tools.ts'
import { packageScript, root, run, runNode } from '../commands.ts'

export const METER = 'ccusage'
export const METER_PACKAGE = 'ccusage@20.0.24'
const READERS = 'src/features/history/gateway/readers'

/** Its names of the tools that it reads. */
const COMMANDS: Partial<Record<HistoryTool, string>> = {
  'claude-code': 'claude',
  codex: 'codex',
  gemini: 'gemini',
  opencode: 'opencode',
  kilo: 'kilo',
  qwen: 'qwen',
  copilot: 'copilot',
  pi: 'pi',
}

/** The tool, how the name of the test ends, and the meter's tokens for each home of the test in which they differ. */
type Difference = readonly [tool: HistoryTool, test: string, ...tokens: number[]]

const DIFFERENCES: readonly Difference[] = [
  // It counts messages that Claude Code has made itself, and those of errors.
  ['claude-code', 'synthetic messages and errors are no calls', 530],
  // Without an id of the request, each line is a call.
  ['claude-code', 'in a fork without request ids', 2_120],
  // A call of a sub-agent with the answer's id of another call is taken for a copy, also where all answers have one id.
  ['claude-code', 'the same usage as those of its parent', 1_060],
  // It counts the journal of a workflow, which repeats calls.
  ['claude-code', 'but not those of a journal again', 2_650],
  // It counts lines of more than 8 MB, which are reported here.
  ['claude-code', 'and a line that is too long', 1_590],
  // It drops lines with bytes that are no text.
  ['claude-code', 'with CRLF and invalid UTF-8', 530],
  // It reads totals of Codex only, not the records of calls.
  ['codex', 'that gives all answers one id', 0],
  ['codex', 'the model and the tier are those of the moment', 0],
  ['codex', 'long ones of other kinds cost nothing', 0, 0],
  // It counts a stale total as a call.
  ['codex', 'with repeated, empty and stale totals', 4_876],
  // The total that a second file repeats counts again.
  ['codex', 'the second of which repeats the last total', 4_876],
  // A thread in both folders counts twice.
  ['codex', 'in a thread that is active and archived', 4_876],
  // It counts what such a fork repeats.
  ['codex', 'that has the header of its parent and repeats its totals adds its own calls', 8_533],
  // The total of a fork begins with that of its parent, its calls do not.
  ['codex', 'from a parent with records', 3_657],
  ['codex', 'and its totals go on from its parent', 3_657, 3_657],
  // A sub-agent whose totals are those of its parent is taken for a copy.
  ['codex', 'count from zero after the history that they begin with', 1_219],
  // A fork copies calls under other ids.
  ['opencode', 'an answer that has not begun does not count', 3_687],
  // Next to a database, it counts the files of older versions again.
  ['opencode', 'the files of older versions count where there is no database', 2_458],
  // It reads answers in the chat only, where cached tokens and reasoning count again.
  ['qwen', 'which has no answer in the chat', 1_219],
  ['qwen', 'the calls of a chat that is gone are those of the month', 0],
  ['qwen', 'one id count apart', 0],
  // It reads the last sum of a session only, not the records of calls.
  ['copilot', 'and not the sums of the session', 0],
  ['copilot', 'also where a newer version goes on', 3_657, 3_657],
  ['copilot', 'records that are in two sessions count once', 0],
  // Calls with the same time and usage count as one.
  ['pi', 'answers are rows, with what joins and places them', 1_229],
  ['pi', 'also without the ids of answers', 2_458],
]

/** Throws where it counts something that is not known, or no longer what is known. */
export async function testMeter(programs: string): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'tollgate-meter-'))
  try {
    const homes = await keepHomes(dir)
    const left = DIFFERENCES.map(([tool, test, ...tokens]) => ({ tool, test, tokens }))
    const unexplained: string[] = []
    let same = 0
    for (const home of homes) {
      const counted = await countTokens(home, programs)
      if (counted === null) continue
      const difference = left.find(({ tool, test }) => tool === home.tool && home.test.endsWith(test))
      if (counted === home.tokens) same += 1
      else if (difference?.tokens.shift() !== counted)
        unexplained.push(`${home.tool}: ${home.test}: ${counted}, not ${home.tokens}`)
    }
    unexplained.push(
      ...left.flatMap(({ tool, test, tokens }) =>
        tokens.map((count) => `${tool}: ${test}: ${count} is missing`),
      ),
    )
    if (same === 0 || unexplained.length > 0)
      throw new Error(`${same} logs are the same, and it differs in\n${unexplained.join('\n')}`)
    const known = DIFFERENCES.reduce((sum, [, , ...tokens]) => sum + tokens.length, 0)
    return `${same} logs have the same tokens, and ${known} others for known reasons`
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** Runs the tests of the readers, which keep their homes in the folder. */
async function keepHomes(dir: string): Promise<KeptHome[]> {
  mkdirSync(dir, { recursive: true })
  const config = ['--config', 'src/tooling/vitest.config.ts']
  // One worker, so that the homes are numbered.
  const args = ['run', ...config, '--maxWorkers=1', READERS]
  const env = { ...process.env, [KEEP_HOMES]: dir }
  const { code, output } = await runNode(packageScript('vitest'), args, { cwd: root, env, stdio: 'pipe' })
  if (code !== 0) throw new Error(output.slice(-2_000))
  const numbers = readdirSync(dir).toSorted((a, b) => Number(a) - Number(b))
  return numbers.map((nr) => KeptHome.parse(JSON.parse(readFileSync(join(dir, nr, 'facts.json'), 'utf8'))))
}

const Report = z.object({ totals: z.object({ totalTokens: z.number() }).nullish() })

/** Null for a tool that it does not read. */
async function countTokens({ tool, home }: KeptHome, programs: string): Promise<number | null> {
  const command = COMMANDS[tool]
  if (command === undefined) return null
  const program = join(programs.split(':')[0] ?? '', METER)
  const { code, output } = await run(program, [command, 'daily', '--json', '--offline'], {
    env: { HOME: home, PATH: process.env.PATH, TZ: 'UTC' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  if (code !== 0) throw new Error(`${METER} ended with ${code}: ${output.slice(-500)}`)
  const json: unknown = JSON.parse(output)
  // Without a call it prints an empty list.
  return Array.isArray(json) ? 0 : (Report.parse(json).totals?.totalTokens ?? 0)
}
