// Claude Code with a sub-agent, on a scripted Claude: its session is a tree, with the cost of each branch.
import { listObjects } from '../../gateway/formats/json/json.ts'
import { startTestUpstream } from '../../gateway/upstream/testing/test-upstream.ts'
import { createAgentTree } from '../../shared/api/agent-tree.ts'
import {
  ANSWER,
  COST_USD,
  createAnswer,
  PRICING,
  type Reply,
  readSituation,
  reply,
} from './scripted-model.ts'
import { askTool } from './session.ts'
import type { Tool } from './tools.ts'
import { plainText, type TrialContext } from './trials.ts'

const FORMAT = 'anthropic-messages'
const MODEL = 'claude-opus-5'
const SUBAGENT = 'general-purpose'
/** The names of the tool that starts a sub-agent. */
const STARTS = /^(Task|Agent)$/
const TASK = 'Let a sub-agent do it.'
const SUB_TASK = 'Write the file as a sub-agent.'

/** The main agent starts a sub-agent, which runs a command; then both answer. */
export async function testTree(
  { tollgate, historyHome }: TrialContext,
  asked: { tool: Tool; programs: string },
): Promise<string> {
  const started = { main: 0, sub: 0 }
  const vendor = await startTestUpstream((exchange) => {
    if (exchange.request.path.includes('count_tokens')) return exchange.reply(200, { input_tokens: 1000 })
    const situation = readSituation(exchange.request)
    const starts = situation.tools.find(({ name }) => STARTS.test(name))
    const [first] = listObjects(exchange.request.json().messages)
    const isSub = JSON.stringify(first?.content ?? '').includes(SUB_TASK)
    // Side calls have no tools.
    if (situation.tools.length > 0) started[isSub ? 'sub' : 'main'] += 1
    const answer = starts && !isSub && !situation.isDone ? startSubAgent(starts.name) : reply(situation)
    exchange.answer(FORMAT, createAnswer(FORMAT, answer, situation))
  })
  try {
    await tollgate.addProvider('anthropic', vendor.url, [], { apiFormat: FORMAT })
    const model = { provider: 'anthropic', pricing: PRICING, maxOutputTokens: 4096 }
    await tollgate.call('PUT', `/v1/models/${MODEL}`, { body: model })
    const { code, output, records, logged, imported } = await askTool(tollgate, {
      ...asked,
      historyHome,
      model: MODEL,
      prompt: TASK,
    })
    if (code !== 0 || !plainText(output).includes(ANSWER))
      throw new Error(`it ended with ${code}:\n${plainText(output).slice(-2000)}`)
    const branches = createAgentTree(records)
    const sub = branches.find(({ role }) => role === 'subagent')
    const main = branches.find(({ role }) => role === 'main')
    const seen = branches.map(({ role, type, depth, requests, costUsd }) => ({
      role,
      type,
      depth,
      requests,
      costUsd,
    }))
    if (!main || !sub || sub.type !== SUBAGENT) throw new Error(`the tree is ${JSON.stringify(seen)}.`)
    for (const [branch, calls] of [
      [main, started.main],
      [sub, started.sub],
    ] as const)
      if (branch.requests !== calls || Math.abs(branch.costUsd - calls * COST_USD) > 1e-12)
        throw new Error(`${calls} calls of a branch are ${JSON.stringify(seen)}.`)
    const ofSub = logged.filter(({ agent }) => agent !== null).length
    const loggedSessions = new Set(logged.map(({ session }) => session)).size
    if (ofSub !== started.sub || logged.length - ofSub !== started.main || loggedSessions !== 1)
      throw new Error(`its log has ${JSON.stringify(logged)}.`)
    if (imported?.calls !== 0) throw new Error(`its import counts ${JSON.stringify(imported)}.`)
    return `a tree of ${branches.length} branches, ${sub.requests} requests by the sub-agent, $${sub.costUsd.toFixed(4)}`
  } finally {
    await vendor.close()
  }
}

function startSubAgent(name: string): Reply {
  const args = { description: 'Write a file', prompt: SUB_TASK, subagent_type: SUBAGENT }
  return { text: null, call: { name, args: JSON.stringify(args) } }
}
