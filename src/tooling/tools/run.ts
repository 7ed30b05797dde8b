// `npm run test:tools` tests the Connect page's instructions with the real tools. Each tool is installed from the npm
// registry at a pinned version, set up in an empty home folder by following the instructions exactly, and called through
// a headless gateway. The call must then be answered, recorded and charged. Agents write a file, are stopped by a spend cap and
// by a pause, and are called with the sandbox as their model, which must not make them do anything. One agent of each API format
// writes its file over providers of every format; the others, which speak chat completions through the same packages, over one.
// `tollgate run` starts those that it supports; Codex, Claude Code and opencode also on a third-party mock of their
// provider. Another meter reads the logs of tests. Not part of `npm test`, because it needs the network and a few minutes; continuous integration runs it
// after that. Arguments select tools. A tool that cannot be installed is skipped.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startProgram } from '../../contract/testing/program.ts'
import type { ApiFormat } from '../../shared/api/providers.ts'
import { errorMessage } from '../../shared/values/text.ts'
import { cacheDir } from '../commands.ts'
import { exitWhenInterrupted } from '../interruption.ts'
import { failure, formatCounts, NO_TESTS, sumCounts, type TestCounts } from '../test-summary.ts'
import { TOOLS_REPORT } from '../tool-tests.ts'
import { testCache } from './cache-trial.ts'
import { install } from './install.ts'
import { testMcp } from './mcp-trial.ts'
import { METER, METER_PACKAGE, testMeter } from './meter-trial.ts'
import { testPlan } from './plan-trial.ts'
import { RULE_CASES, testRule } from './rule-trial.ts'
import { testRun, testRunOnMock, testRunOnSandbox } from './run-trial.ts'
import { testSocket } from './socket-trial.ts'
import { type Tool, tools } from './tools.ts'
import { addToolsModel, getModel, startToolsUpstream, TOOLS_FORMATS } from './tools-upstream.ts'
import { testTree } from './tree-trial.ts'
import { type TrialContext, testAnswer, testCap, testPause, testSandbox, testTask } from './trials.ts'

/** A model name that is easy to quote incorrectly. */
const MODEL = '@cf/meta/llama-3.1-8b-instruct'

const wanted = process.argv.slice(2)
const unknown = wanted.filter((id) => id !== METER && !tools.some((tool) => tool.id === id))
if (unknown.length > 0) {
  console.error(
    `There is no ${unknown.join(', ')}. The tools are ${[...tools.map(({ id }) => id), METER].join(', ')}.`,
  )
  process.exit(2)
}

exitWhenInterrupted()

// Gemini CLI reads no settings of the computer from below a folder that others may write to, as the usual one is.
process.env.TMPDIR = join(cacheDir, 'tmp')
mkdirSync(process.env.TMPDIR, { recursive: true })

/** One agent of each API format. Their long sessions are also tried on a Claude that caches prompts. */
const EVERY_FORMAT: ReadonlySet<string> = new Set(['codex', 'opencode', 'gemini', 'claude-code'])
const CHAT: ApiFormat = 'openai-chat'

/** Agents that start slowly are first among the agents, so that none of them runs alone at the end. */
const SLOW: readonly string[] = ['kilo', 'opencode', 'qwen', 'cline', 'copilot']
/** The tools wait for a part of their time. */
const AT_ONCE = 3

const rank = ({ id, agent }: Tool) => (agent === null ? 0 : SLOW.includes(id) ? 1 + SLOW.indexOf(id) : 9)
const queue = tools
  .filter(({ id }) => wanted.length === 0 || wanted.includes(id))
  .toSorted((a, b) => rank(a) - rank(b))
const installed = installAhead(queue)

const counts: TestCounts[] = []
if (wanted.length === 0 || wanted.includes(METER)) counts.push(await tryMeter())
async function testNext(): Promise<void> {
  for (let tool = queue.shift(); tool; tool = queue.shift()) counts.push(...(await testTool(tool)))
}
await Promise.all(Array.from({ length: AT_ONCE }, testNext))
console.log(formatCounts(counts))
writeFileSync(TOOLS_REPORT, JSON.stringify(sumCounts(counts)))
// Success requires that something ran.
const green = counts.every(({ failed }) => failed === 0) && counts.some(({ passed }) => passed > 0)
process.exitCode = green ? 0 : 1

/** Installs one tool after another while others are tried: it mostly waits for the registry. */
function installAhead(all: readonly Tool[]): ReadonlyMap<Tool, Promise<string>> {
  let last: Promise<unknown> = Promise.resolve()
  return new Map(
    all.map((tool) => {
      const programs = last.then(() => install(tool.packages))
      last = programs.catch(() => undefined)
      return [tool, programs]
    }),
  )
}

async function testTool(tool: Tool): Promise<TestCounts[]> {
  const label = [tool.id, ...tool.packages].join(' ')
  let programs = ''
  try {
    programs = (await installed.get(tool)) ?? ''
  } catch (error) {
    console.log(`- ${label}: skipped, as it cannot be installed: ${errorMessage(error)}`)
    return [{ ...NO_TESTS, skipped: 1 }]
  }
  // Each tool has its own gateway and provider, so that every call there is this tool's.
  const historyHome = mkdtempSync(join(tmpdir(), 'tollgate-history-'))
  const tollgate = await startProgram({ HOME: historyHome, USERPROFILE: historyHome })
  const upstream = await startToolsUpstream(tollgate)
  await addToolsModel(tollgate, CHAT, MODEL)
  const results = await runTrials({ tollgate, upstream, historyHome }, { tool, programs }, label)
  await tollgate.close()
  await upstream.close()
  rmSync(historyHome, { recursive: true, force: true })
  return results
}

async function tryMeter(): Promise<TestCounts> {
  try {
    const programs = await install([METER_PACKAGE])
    return await toOutcome(METER_PACKAGE, () => testMeter(programs))
  } catch (error) {
    console.log(`- ${METER_PACKAGE}: skipped, as it cannot be installed: ${errorMessage(error)}`)
    return { ...NO_TESTS, skipped: 1 }
  }
}

async function runTrials(
  context: TrialContext,
  asked: { tool: Tool; programs: string },
  label: string,
): Promise<TestCounts[]> {
  const results: TestCounts[] = []
  for (const [name, trial] of listTrials(context, asked))
    results.push(await toOutcome(name === '' ? label : `${label}, ${name}`, trial))
  return results
}

type NamedTrial = readonly [name: string, run: () => Promise<string>]

function listTrials(context: TrialContext, asked: { tool: Tool; programs: string }): NamedTrial[] {
  const { id, agent, runs = [], speaks, plan, mcp } = asked.tool
  if (agent === null) return [['', () => testAnswer(context, asked, MODEL)]]
  const asking = { ...asked, agent }
  const hasAllFormats = EVERY_FORMAT.has(id)
  const named = (isWanted: boolean, ...trials: readonly NamedTrial[]) => (isWanted ? trials : [])
  return [
    ...(hasAllFormats ? TOOLS_FORMATS : [CHAT]).map((format): NamedTrial => {
      const model = format === CHAT ? MODEL : getModel(format)
      return [`task over ${format}`, () => testTask(context, asking, model)]
    }),
    ...runs.map((run): NamedTrial => [`tollgate run, ${run.name}`, () => testRun(context, asking, run)]),
    ...named(hasAllFormats, ['prompt cache', () => testCache(context, asking)]),
    ...(speaks === undefined
      ? []
      : ([
          ['tollgate run on a mock', () => testRunOnMock(context, { ...asking, format: speaks })],
          ['tollgate run on the sandbox', () => testRunOnSandbox(context, asking)],
        ] as const)),
    ...named(id === 'claude-code', ['sub-agent', () => testTree(context, asked)]),
    ...named(id === 'codex', ['WebSocket', () => testSocket(context, asking)]),
    ...(RULE_CASES[id] ?? []).map(
      ({ name, ...rule }): NamedTrial => [`rule ${name}`, () => testRule(context, asked, rule)],
    ),
    ...(plan ? [['tollgate run, by its plan', () => testPlan(asked, plan)] as const] : []),
    ...(mcp ? [['mcp', () => testMcp(context, { ...asked, mcp })] as const] : []),
    ['cap', () => testCap(context, asked)],
    ['pause', () => testPause(context, asked)],
    ['sandbox', () => testSandbox(context, asking)],
  ]
}

async function toOutcome(label: string, trial: () => Promise<string>): Promise<TestCounts> {
  const startedAt = performance.now()
  try {
    const seen = await trial()
    console.log(`✓ ${label}: ${seen} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`)
    return { ...NO_TESTS, passed: 1 }
  } catch (error) {
    console.log(`✗ ${label}: ${errorMessage(error)}`)
    return failure(label)
  }
}
