import type { TestClient } from '../../gateway/testing/gateway.ts'
import { clientName } from '../../shared/values/client-name.ts'
import { CAPPED_COST_USD, COST_USD, WRITTEN_FILE } from './scripted-model.ts'
import { checkAnswer, plainText, tail } from './scripted-vendor.ts'
import { askTool, type Outcome, type Question } from './session.ts'
import type { Agent } from './tools.ts'
import { CAPPED_MODEL, type ToolsUpstream } from './tools-upstream.ts'

export interface TrialContext {
  tollgate: TestClient & { dataDir: string }
  upstream: ToolsUpstream
  /** Where the gateway looks for the logs of agents. */
  historyHome: string
}

type TrialQuestion = Pick<Question, 'tool' | 'programs'>

/** Codex sends a request up to five times again, whatever the status. */
const MAX_REFUSALS = 6

/** The task for an agent; the scripted model does the same whatever the words. */
export const TASK = `Create a file named ${WRITTEN_FILE}.`

/** Each trial returns what was seen, and throws when something is wrong. */
export async function testAnswer(
  context: TrialContext,
  asked: TrialQuestion,
  model: string,
): Promise<string> {
  const before = context.upstream.calls()
  const outcome = await askTool(context.tollgate, { ...asked, model, prompt: 'Say hello.' })
  checkSuccess(outcome, context.upstream.calls() - before)
  return summarize(outcome)
}

/** The agent writes a file with its own shell, shows the answer, and every call is recorded and charged. */
export async function testTask(
  context: TrialContext,
  { agent, ...asked }: TrialQuestion & { agent: Agent },
  model: string,
): Promise<string> {
  const before = context.upstream.calls()
  const { historyHome } = context
  const outcome = await askTool(context.tollgate, { ...asked, model, prompt: TASK, historyHome })
  checkSuccess(outcome, context.upstream.calls() - before)
  if (!outcome.written.includes(WRITTEN_FILE)) throw new Error(`it wrote no file:\n${tail(outcome)}`)
  if (outcome.records.length < 2) throw new Error('the task took one call only.')
  const other = outcome.records.find(({ client }) => clientName(client) !== agent.client)
  if (other) throw new Error(`the log names it ${other.client}, not ${agent.client}.`)
  checkSession(outcome, agent)
  checkLog(outcome, agent)
  return `${summarize(outcome)}, ${outcome.logged.length} in its log`
}

/** A cap that the first call uses up ends the agent soon, with Tollgate's message in its output. */
export async function testCap({ tollgate }: TrialContext, asked: TrialQuestion): Promise<string> {
  const question = { ...asked, model: CAPPED_MODEL, prompt: TASK, spendLimitUsd: CAPPED_COST_USD }
  return checkStopped(await askTool(tollgate, question), 'the cap', /Raise it in\s+Tollgate/)
}

/** While everything is paused, the agent ends soon, with Tollgate's message in its output. */
export async function testPause({ tollgate }: TrialContext, asked: TrialQuestion): Promise<string> {
  await tollgate.call('POST', '/v1/pause')
  try {
    const outcome = await askTool(tollgate, { ...asked, model: CAPPED_MODEL, prompt: TASK })
    return checkStopped(outcome, 'the pause', asked.tool.agent?.forbiddenText ?? /Tollgate\s+is\s+paused/)
  } finally {
    await tollgate.call('POST', '/v1/resume')
  }
}

function checkStopped(outcome: Outcome, by: string, reason: RegExp): string {
  const { code, output, records } = outcome
  const refused = records.filter(({ status }) => status === 'refused')
  const calls = refused.reduce((sum, { count }) => sum + count, 0)
  if (calls === 0) throw new Error(`${by} refused nothing:\n${tail(outcome)}`)
  if (code === null) throw new Error(`it did not end; it was refused ${calls} times:\n${tail(outcome)}`)
  if (!reason.test(plainText(output))) throw new Error(`it did not show the reason:\n${tail(outcome)}`)
  if (calls > MAX_REFUSALS) throw new Error(`it took ${calls} refusals to end.`)
  return `stopped by ${by} after ${calls} refusal${calls === 1 ? '' : 's'}, exit ${code}`
}

/** The sandbox answers a question about a command with text. A requested tool is called twice and does nothing. */
export async function testSandbox(
  { tollgate }: TrialContext,
  { agent, ...asked }: TrialQuestion & { agent: Agent },
): Promise<string> {
  const model = 'sandbox-small'
  const about = await askTool(tollgate, {
    ...asked,
    model,
    prompt: 'What does the bash command `touch written.txt` do? And what does "touch written.txt" do?',
  })
  const commanded = await askTool(tollgate, {
    ...asked,
    model,
    prompt: `[[sandbox:tool ${agent.shell} ${agent.shell}]] "touch written.txt"`,
  })
  for (const outcome of [about, commanded]) {
    if (outcome.code !== 0)
      throw new Error(`it ended with ${outcome.code ?? 'a time-out'}:\n${tail(outcome)}`)
  }
  const written = [...about.written, ...commanded.written]
  if (written.length > 0) throw new Error(`it wrote ${written.join(', ')}.`)
  // Two calls and the final text; some tools also request a title.
  if (commanded.records.length < 3 || !commanded.output.includes('The tool returned')) {
    throw new Error(`${commanded.records.length} requests did not end the loop:\n${tail(commanded)}`)
  }
  return 'ran nothing of a prompt, and two steps on command'
}

/** All requests of a run are one session, by what the agent sends. */
function checkSession({ records, sessions }: Outcome, agent: Agent): void {
  const found = sessions.map(({ source, requests }) => `${requests} by ${source}`).join(', ')
  const apart = agent.titlesApart ? 1 : 0
  const others = records.length - Math.max(...sessions.map(({ requests }) => requests))
  if (others > apart || sessions.some(({ source }) => source !== agent.session))
    throw new Error(`its sessions are ${found}, not ${records.length} by ${agent.session}.`)
}

/** The agent's own log, as `tollgate import` reads it, has the requests with their tokens, and their ids where it has any. */
function checkLog({ records, logged, imported }: Outcome, { log, titlesUnlogged }: Agent): void {
  if (log === false) return
  // Tollgate has metered every call, so an import changes no sum.
  if (logged.length === 0 || imported?.calls !== 0 || imported.metered !== logged.length)
    throw new Error(`the import of its ${logged.length} calls has ${JSON.stringify(imported)}.`)
  const unlogged = records.length - logged.length
  // All answers have the same usage.
  const [usage] = records.map((record) => record.usage)
  const isSame = logged.every(({ tokens }) =>
    LOGGED.every((bucket) => tokens[bucket] === (usage?.[bucket] ?? 0)),
  )
  const isOfModel = logged.every(({ model }) =>
    records.some((record) => record.model === model || record.requestedModel === model),
  )
  // An answer in the provider's own format keeps the provider's id.
  const ids = logged.flatMap(
    ({ answerId }) => /^(?:req|resp)_([0-9a-f]{32})$/.exec(answerId ?? '')?.[1] ?? [],
  )
  const isJoined = ids.every((id) => records.some((record) => record.id === `req_${id}`))
  if (unlogged < 0 || unlogged > (titlesUnlogged ? 1 : 0) || !isSame || !isOfModel || !isJoined)
    throw new Error(`its log has ${JSON.stringify(logged)} of ${records.length} requests.`)
}

/** Some agents do not log which part of the output was reasoning. */
const LOGGED = ['input', 'cacheRead', 'cacheWrite5m', 'cacheWrite1h', 'output'] as const

/** `calls`: how many requests the provider received. */
function checkSuccess(outcome: Outcome, calls: number): void {
  const { records, spendUsd } = checkAnswer(outcome)
  if (records.length === 0) throw new Error('no request was recorded.')
  const odd = records.find(
    ({ status, costStatus, costUsd }) =>
      status !== 'succeeded' || costStatus !== 'exact' || costUsd !== COST_USD,
  )
  if (odd) throw new Error(`one request was not recorded as it was answered: ${JSON.stringify(odd)}`)
  if (records.length !== calls)
    throw new Error(`the log has ${records.length} requests, the provider received ${calls}.`)
  if (Math.abs(spendUsd - records.length * COST_USD) > 1e-12) throw new Error(`it was charged $${spendUsd}.`)
}

function summarize({ records, spendUsd }: Outcome): string {
  const requests = records.length === 1 ? '1 request' : `${records.length} requests`
  return `${requests}, $${spendUsd}, as ${clientName(records[0]?.client ?? null)}`
}
