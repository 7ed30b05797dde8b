// `tollgate run` with a real agent, on the scripted provider, on a third-party mock and on the sandbox: the run has its own
// key, model and project, and its receipt agrees with the ledger.

import type { ApiFormat } from '../../shared/api/providers.ts'
import { clientName } from '../../shared/values/client-name.ts'
import { startAgentMock } from './agent-mock.ts'
import { quote } from './paste.ts'
import { type AgentRun, PROJECT, type RunOutcome, runAgent } from './run-session.ts'
import { COST_USD, WRITTEN_FILE } from './scripted-model.ts'
import type { Question } from './session.ts'
import type { Agent, RunCase } from './tools.ts'
import { getModel } from './tools-upstream.ts'
import { TASK, type TrialContext } from './trials.ts'

type TrialQuestion = Pick<Question, 'tool' | 'programs'> & { agent: Agent }

const CAP_USD = 1

export async function testRun(
  { tollgate, upstream }: TrialContext,
  asked: TrialQuestion,
  { inScript, own }: RunCase,
): Promise<string> {
  const before = upstream.calls()
  const model = getModel('openai-chat')
  const run = createRun(asked, model, TASK)
  const words = inScript ? ['bash', '-c', run.words.map(quote).join(' ')] : run.words
  const outcome = await runAgent(tollgate, { ...run, words, own, options: OPTIONS })
  checkRun(outcome, { ...asked, model })
  checkTask(outcome, { calls: upstream.calls() - before, costUsd: COST_USD })
  return summarize(outcome)
}

/** Over the agent's own API format, from a server that others have written, with its pauses between the parts of an answer. */
export async function testRunOnMock(
  { tollgate }: TrialContext,
  { format, ...asked }: TrialQuestion & { format: ApiFormat },
): Promise<string> {
  const mock = await startAgentMock(tollgate, { shell: asked.agent.shell, format })
  try {
    const outcome = await runAgent(tollgate, { ...createRun(asked, mock.model, TASK), options: OPTIONS })
    checkRun(outcome, { ...asked, model: mock.model })
    checkTask(outcome, { calls: mock.calls(), costUsd: mock.costUsd })
    const stopped = await runAgent(tollgate, {
      ...createRun(asked, mock.capped.model, TASK),
      options: ['--cap', String(mock.capped.costUsd)],
    })
    checkStopped(stopped)
    return `${summarize(outcome)}, and stopped by its cap with exit ${stopped.code}`
  } finally {
    await mock.close()
  }
}

export async function testRunOnSandbox({ tollgate }: TrialContext, asked: TrialQuestion): Promise<string> {
  const model = 'sandbox-small'
  const prompt = `[[sandbox:tool ${asked.agent.shell}]] Say hello.`
  const outcome = await runAgent(tollgate, { ...createRun(asked, model, prompt), options: OPTIONS })
  checkRun(outcome, { ...asked, model })
  if (outcome.receipt.requests < 2) throw new Error('the sandbox called no tool.')
  return summarize(outcome)
}

const OPTIONS = ['--cap', String(CAP_USD), '--name', 'trial']

function createRun(
  { tool, programs }: TrialQuestion,
  model: string,
  prompt: string,
): Omit<AgentRun, 'options'> {
  return { tool, programs, model, words: tool.ask?.(prompt, model) ?? [] }
}

/** The run ended well, and the receipt is what the ledger has of its key, which was revoked. */
function checkRun(outcome: RunOutcome, { agent, model }: { agent: Agent; model: string }): void {
  const { code, output, receipt, key, records, sessions } = outcome
  if (code !== 0 || receipt.exitCode !== 0) throw new Error(`it ended with ${code}:\n${output.slice(-2000)}`)
  const odd = records.find(
    (record) =>
      record.status !== 'succeeded' ||
      record.tag !== PROJECT ||
      record.requestedModel !== model ||
      record.sessionId === null ||
      clientName(record.client) !== agent.client,
  )
  if (odd) throw new Error(`one request is not the run's: ${JSON.stringify(odd)}`)
  if (
    sessions.length === 0 ||
    sessions.some(({ source, tag }) => source !== agent.session || tag !== PROJECT)
  )
    throw new Error(`its sessions are ${JSON.stringify(sessions)}`)
  const sum = (amount: (record: (typeof records)[number]) => number | null | undefined) =>
    records.reduce((total, record) => total + (amount(record) ?? 0), 0)
  const ofSessions = sessions.reduce((total, { costUsd }) => total + costUsd, 0)
  for (const [what, seen, wanted] of [
    ['requests', receipt.requests, records.length],
    ['input tokens', receipt.tokens.input, sum(({ usage }) => usage?.input)],
    ['output tokens', receipt.tokens.output, sum(({ usage }) => usage?.output)],
    ['dollars of the key', receipt.costUsd, key.spendUsd],
    ['dollars', receipt.costUsd, sum(({ costUsd }) => costUsd)],
    ['dollars of sessions', receipt.costUsd, ofSessions],
    ['dollars left', receipt.leftUsd, CAP_USD - receipt.costUsd],
  ] as const)
    expectSame(what, seen, wanted)
  if (key.revokedAt === null) throw new Error('the key was not revoked.')
}

/** The agent did what it was asked, and paid for all that the provider has answered. */
function checkTask(
  { receipt, files, output }: RunOutcome,
  expected: { calls: number; costUsd: number },
): void {
  if (!files.includes(WRITTEN_FILE)) throw new Error(`it wrote no file:\n${output.slice(-2000)}`)
  if (expected.calls < 2) throw new Error(`the provider received ${expected.calls} requests.`)
  expectSame('requests at the provider', receipt.requests, expected.calls)
  expectSame('dollars of the answers', receipt.costUsd, expected.calls * expected.costUsd)
}

/** The cap was used up; the agent failed, and so did the run. */
function checkStopped({ code, receipt, key, output }: RunOutcome): void {
  if (code === 0 || receipt.exitCode !== code)
    throw new Error(`it ended with ${code}:\n${output.slice(-2000)}`)
  if (receipt.refused === 0 || receipt.leftUsd !== 0)
    throw new Error(`${receipt.refused} requests were refused, and $${receipt.leftUsd} is left.`)
  if (key.revokedAt === null) throw new Error('the key was not revoked.')
}

function expectSame(what: string, seen: number | null, wanted: number): void {
  if (seen === null || Math.abs(seen - wanted) > 1e-12) throw new Error(`${seen} ${what}, not ${wanted}.`)
}

function summarize({ receipt }: RunOutcome): string {
  return `${receipt.requests} requests of its own key and model, $${receipt.costUsd}`
}
