// The words of a limit that asks: in notifications, the window, the terminal and the webhook.
import { nameLimit } from '../../../shared/limits/limits.ts'
import { chooseUsdDecimals, formatUsd } from '../../../shared/money/format-usd.ts'
import type { Approval, ApprovalDecision } from './approvals.ts'

/** The amount that a notification and a banner offer to allow. */
export const ALLOW_USD = 2

/** The text of a limit that asks: who wants more, and what for. */
export function describeApproval(approval: Approval): { title: string; body: string } {
  const { keyName, limit, ofAccount, limitUsd, spentUsd, neededUsd, model, waiting, reason } = approval
  const name = nameLimit(limit, limitUsd, ofAccount ? 'limit' : 'cap')
  const decimals = chooseUsdDecimals([spentUsd, limitUsd])
  const spent = `${formatUsd(spentUsd, decimals)} of the ${name} is spent`
  const amount = neededUsd === null ? 'more' : formatUsd(neededUsd)
  if (model === null)
    return {
      title: `${keyName} asks for ${amount}`,
      body: `In the agent’s own words: “${reason ?? ''}” ${spent}.`,
    }
  const waits =
    waiting === 1
      ? `A request to ${model} waits. It could cost up to ${amount}.`
      : `${waiting} requests wait. The next, to ${model}, could cost up to ${amount}.`
  return {
    title: `${keyName} asks to spend more`,
    body: `${spent}. ${waits}`,
  }
}

/** The answers that a notification offers, each with its call of the API. */
export function listAnswers({ id, waiter }: Approval) {
  const answers: [label: string, decision: ApprovalDecision][] = [
    [`Allow $${ALLOW_USD}`, { decision: 'allow', waiter, usd: ALLOW_USD }],
    ['Once', { decision: 'once', waiter }],
    ['Stop', { decision: 'stop' }],
  ]
  return answers.map(([label, body]) => ({
    label,
    calls: [{ method: 'POST' as const, path: `/v1/approvals/${id}`, body }],
  }))
}
