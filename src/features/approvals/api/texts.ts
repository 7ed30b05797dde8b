// The words of a question to the owner: in notifications, the window, the terminal and the webhook.
import { nameLimit } from '../../../shared/limits/limits.ts'
import { chooseUsdDecimals, formatUsd } from '../../../shared/money/format-usd.ts'
import type { Approval, ApprovalDecision, LimitApproval } from './approvals.ts'

/** The amount that a notification and a banner offer to allow. */
export const ALLOW_USD = 2

/** Who asks, and what for. */
export function describeApproval(approval: Approval): { title: string; body: string } {
  const { keyName, neededUsd, model, reason } = approval
  if (approval.kind === 'rule') {
    const whole = approval.agentId === null ? 'session' : 'sub-agent'
    return {
      title: `${keyName} asks for permission`,
      body: `${approval.rule.sentence} ${describeWaiting(approval)} Your answer is for all requests of its ${whole}.`,
    }
  }
  const spent = describeSpent(approval)
  if (model !== null)
    return { title: `${keyName} asks to spend more`, body: `${spent} ${describeWaiting(approval)}` }
  return {
    title: `${keyName} asks for ${neededUsd === null ? 'more' : formatUsd(neededUsd)}`,
    body: `In the agent’s own words: “${reason ?? ''}” ${spent}`,
  }
}

function describeSpent({ limit, ofAccount, limitUsd, spentUsd }: LimitApproval): string {
  const decimals = chooseUsdDecimals([spentUsd, limitUsd])
  const name = nameLimit(limit, limitUsd, ofAccount ? 'limit' : 'cap')
  return `${formatUsd(spentUsd, decimals)} of the ${name} is spent.`
}

/** The request that is shown, and what it could cost; nothing is said of one that costs nothing, or has no price. */
function describeWaiting({ program, tag, model, neededUsd, waiting }: Approval): string {
  const caller = program === null ? '' : ` from ${program}`
  const project = tag === null ? '' : ` in ${tag}`
  const request = `${caller}${project} to ${model}`
  const waits =
    waiting === 1 ? `A request${request} waits.` : `${waiting} requests wait, the first${request}.`
  return neededUsd ? `${waits} It could cost up to ${formatUsd(neededUsd)}.` : waits
}

/** The answers that a notification and a banner offer. */
export function listAnswers({
  kind,
  waiter,
  model,
}: Approval): { label: string; decision: ApprovalDecision }[] {
  const stop = { decision: 'stop' } as const
  if (kind === 'rule')
    return [
      { label: 'Allow', decision: { decision: 'allow', waiter } },
      { label: 'Deny', decision: stop },
    ]
  const once = { label: 'Once', decision: { decision: 'once', waiter } } as const
  return [
    { label: `Allow $${ALLOW_USD}`, decision: { decision: 'allow', waiter, usd: ALLOW_USD } },
    // Nothing waits that an agent has asked for ahead.
    ...(model === null ? [] : [once]),
    { label: 'Stop', decision: stop },
  ]
}
