// Who pays for a vendor's own client that is signed in to a plan: the plan, or a key of Tollgate.
import { homedir } from 'node:os'
import { createInterface } from 'node:readline/promises'
import type { GatewayClient } from '../../host/gateway-client.ts'
import { isPlan, PLAN_VENDORS } from '../../shared/api/terms.ts'
import { isSignedIn } from '../../tool-setup/plan-sign-in.ts'
import { programName } from './arguments.ts'

const plans: Readonly<Record<string, string>> = { claude: 'claude-plan', codex: 'chatgpt-plan' }

/**
 * Whether the run keeps the tool's own sign-in. `wanted`: what the user said on the command line. Adds the provider of the plan
 * when it is chosen; of all plans for a program that may start any tool.
 */
export async function choosePlan(
  program: string,
  wanted: boolean | null,
  client: GatewayClient,
): Promise<boolean> {
  const plan = plans[programName(program)]
  const isChosen = wanted ?? (await askForPlan(plan))
  if (!isChosen) return false
  const { data } = await client.call('listProviders')
  for (const { id, enabled } of data)
    if (!enabled && (plan === undefined ? isPlan(id) : id === plan))
      await client.call('putProvider', { params: { id }, body: { enabled: true } })
  return true
}

/** Asks who pays, if the tool of the plan is signed in and somebody is at the terminal; else the key does. */
export async function askForPlan(plan: string | undefined): Promise<boolean> {
  const surroundings = { home: homedir(), env: process.env }
  if (plan === undefined || !process.stdin.isTTY || !isSignedIn(plan, surroundings)) return false
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const question = `Signed in to a ${PLAN_VENDORS[plan]} plan. Who pays: the plan, or a Tollgate key? [key] `
    return /^p/i.test((await lines.question(question)).trim())
  } finally {
    lines.close()
  }
}
