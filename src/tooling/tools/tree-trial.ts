// Claude Code with a sub-agent, on a scripted Claude: its session is a tree, with the cost of each branch.
import { listObjects } from '../../gateway/formats/json/json.ts'
import { createAgentTree } from '../../shared/api/agent-tree.ts'
import { COST_USD, reply } from './scripted-model.ts'
import { askWithVendor, type ScriptedVendor, SUB_TASK, SUBAGENT, startSubAgent } from './scripted-vendor.ts'
import type { Tool } from './tools.ts'
import type { TrialContext } from './trials.ts'

const MODEL = 'claude-opus-5'
const TASK = 'Let a sub-agent do it.'

/** The main agent starts a sub-agent, which runs a command; then both answer. */
export async function testTree(
  { tollgate, historyHome }: TrialContext,
  asked: { tool: Tool; programs: string },
): Promise<string> {
  const started = { main: 0, sub: 0 }
  const vendor: ScriptedVendor = {
    provider: 'anthropic',
    format: 'anthropic-messages',
    models: { [MODEL]: {} },
    answer({ request }, situation) {
      const [first] = listObjects(request.json().messages)
      const isSub = JSON.stringify(first?.content ?? '').includes(SUB_TASK)
      // Side calls have no tools.
      if (situation.tools.length > 0) started[isSub ? 'sub' : 'main'] += 1
      const start = isSub || situation.isDone ? null : startSubAgent(situation)
      return { reply: start ?? reply(situation) }
    },
  }
  const question = { ...asked, historyHome, model: MODEL, prompt: TASK }
  const { records, logged, imported } = await askWithVendor(tollgate, question, vendor)
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
}
