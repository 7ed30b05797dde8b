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

interface Difference {
  tool: HistoryTool
  /** How the name of the test ends. */
  test: string
  /** Its tokens for each home of the test in which they differ. */
  tokens: readonly number[]
  why: string
}

const NO_RECORDS = 'It reads totals of Codex only, not the records of calls.'
const SMALL_FORK = 'The total of a fork begins with that of its parent, its calls do not.'
const NO_TELEMETRY = 'It reads answers in the chat only, where cached tokens and reasoning count again.'
const NO_RECORDS_OF_CALLS = 'It reads the last sum of a session only, not the records of calls.'
const SAME_TIME = 'Calls with the same time and usage count as one.'
const DIFFERENCES: readonly Difference[] = [
  {
    tool: 'claude-code',
    test: 'synthetic messages and errors are no calls',
    tokens: [530],
    why: 'It counts messages that Claude Code has made itself, and those of errors.',
  },
  {
    tool: 'claude-code',
    test: 'in a fork without request ids',
    tokens: [2_120],
    why: 'Without an id of the request, each line is a call.',
  },
  {
    tool: 'claude-code',
    test: 'the same usage as those of its parent',
    tokens: [1_060],
    why: "A call of a sub-agent with the answer's id of another call is taken for a copy, also where all answers have one id.",
  },
  {
    tool: 'claude-code',
    test: 'but not those of a journal again',
    tokens: [2_650],
    why: 'It counts the journal of a workflow, which repeats calls.',
  },
  {
    tool: 'claude-code',
    test: 'and a line that is too long',
    tokens: [1_590],
    why: 'It counts lines of more than 8 MB, which are reported here.',
  },
  {
    tool: 'claude-code',
    test: 'with CRLF and invalid UTF-8',
    tokens: [530],
    why: 'It drops lines with bytes that are no text.',
  },
  { tool: 'codex', test: 'that gives all answers one id', tokens: [0], why: NO_RECORDS },
  { tool: 'codex', test: 'the model and the tier are those of the moment', tokens: [0], why: NO_RECORDS },
  { tool: 'codex', test: 'long ones of other kinds cost nothing', tokens: [0, 0], why: NO_RECORDS },
  {
    tool: 'codex',
    test: 'with repeated, empty and stale totals',
    tokens: [4_876],
    why: 'It counts a stale total as a call.',
  },
  {
    tool: 'codex',
    test: 'the second of which repeats the last total',
    tokens: [4_876],
    why: 'The total that a second file repeats counts again.',
  },
  {
    tool: 'codex',
    test: 'in a thread that is active and archived',
    tokens: [4_876],
    why: 'A thread in both folders counts twice.',
  },
  {
    tool: 'codex',
    test: 'that has the header of its parent and repeats its totals adds its own calls',
    tokens: [8_533],
    why: 'It counts what such a fork repeats.',
  },
  { tool: 'codex', test: 'from a parent with records', tokens: [3_657], why: SMALL_FORK },
  { tool: 'codex', test: 'and its totals go on from its parent', tokens: [3_657, 3_657], why: SMALL_FORK },
  {
    tool: 'codex',
    test: 'count from zero after the history that they begin with',
    tokens: [1_219],
    why: 'A sub-agent whose totals are those of its parent is taken for a copy.',
  },
  {
    tool: 'opencode',
    test: 'an answer that has not begun does not count',
    tokens: [3_687],
    why: 'A fork copies calls under other ids.',
  },
  {
    tool: 'opencode',
    test: 'the files of older versions count where there is no database',
    tokens: [2_458],
    why: 'Next to a database, it counts the files of older versions again.',
  },
  { tool: 'qwen', test: 'which has no answer in the chat', tokens: [1_219], why: NO_TELEMETRY },
  {
    tool: 'qwen',
    test: 'the calls of a chat that is gone are those of the month',
    tokens: [0],
    why: NO_TELEMETRY,
  },
  { tool: 'qwen', test: 'one id count apart', tokens: [0], why: NO_TELEMETRY },
  {
    tool: 'copilot',
    test: 'and not the sums of the session',
    tokens: [0],
    why: NO_RECORDS_OF_CALLS,
  },
  {
    tool: 'copilot',
    test: 'also where a newer version goes on',
    tokens: [3_657, 3_657],
    why: NO_RECORDS_OF_CALLS,
  },
  {
    tool: 'copilot',
    test: 'records that are in two sessions count once',
    tokens: [0],
    why: NO_RECORDS_OF_CALLS,
  },
  { tool: 'pi', test: 'answers are rows, with what joins and places them', tokens: [1_229], why: SAME_TIME },
  { tool: 'pi', test: 'also without the ids of answers', tokens: [2_458], why: SAME_TIME },
]

/** Throws where it counts something that is not known, or no longer what is known. */
export async function testMeter(programs: string): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'tollgate-meter-'))
  try {
    const homes = await keepHomes(dir)
    const left = DIFFERENCES.map((difference) => ({ ...difference, tokens: [...difference.tokens] }))
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
    const known = DIFFERENCES.reduce((sum, { tokens }) => sum + tokens.length, 0)
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
