import type { Command } from 'commander'
import {
  addDataOptions,
  addExamples,
  connect,
  type DataOptions,
  parseUsd,
} from '../../../cli/commands/options.ts'
import { refuseInRun } from '../../../cli/run/run-key.ts'
import { note, printJson } from '../../../cli/terminal/print.ts'
import { formatUsd } from '../../../shared/money/format-usd.ts'
import { printable } from '../../../shared/values/text.ts'
import type { Approval, ApprovalDecision } from '../api/approvals.ts'
import { ALLOW_USD, describeApproval } from '../api/texts.ts'

interface ApproveOptions extends DataOptions {
  usd?: number
  once?: boolean
  stop?: boolean
  list?: boolean
}

export function define(command: Command): void {
  command
    .description('Answer a limit or a rule that asks: allow it, let one request go on, or stop.')
    .argument('[id]', 'the request that is meant, if several questions wait; see --list')
    .option(
      '--usd <amount>',
      `how much more may be spent under a limit (${formatUsd(ALLOW_USD, 2)} if left out)`,
      parseUsd,
    )
    .option('--once', 'let only the request that is shown go on, whatever it costs')
    .option(
      '--stop',
      'refuse the requests that wait, and others until the limit resets or what asks is changed',
    )
    .option('--list', 'list what is asked, and answer nothing')
    .action(approve)
  addDataOptions(command)
  addExamples(
    command,
    ['tollgate approve', 'tollgate approve --usd 5', 'tollgate approve --stop', 'tollgate approve --list'],
    'A limit and a rule ask if their action is "ask". Requests wait until the answer, for four minutes by default.',
  )
}

async function approve(id: string | undefined, options: ApproveOptions): Promise<void> {
  const { usd, once, stop, list, json, ...rest } = options
  if (!list) refuseInRun()
  const client = connect(rest)
  const { data } = await client.call('listApprovals')
  if (list) return json ? printJson({ data }) : note(formatList(data))
  const chosen = choose(data, id)
  const { waiter } = chosen
  const amount = usd ?? (chosen.kind === 'limit' ? ALLOW_USD : undefined)
  const decision: ApprovalDecision = once
    ? { decision: 'once', waiter }
    : stop
      ? { decision: 'stop' }
      : { decision: 'allow', waiter, ...(amount !== undefined && { usd: amount }) }
  const answered = await client.call('decideApproval', { params: { id: chosen.id }, body: decision })
  if (json) return printJson(answered)
  note(`${printable(chosen.keyName)} ${describeAnswer(decision)}\n`)
}

function choose(data: readonly Approval[], wanted: string | undefined): Approval {
  if (data.length === 0) throw new Error('Nothing waits for an answer now.')
  const matches = wanted === undefined ? data : data.filter(({ waiter }) => waiter === wanted)
  const [only, another] = matches
  if (!only) throw new Error(`“${printable(wanted ?? '')}” does not wait.\n${formatList(data)}`)
  if (another) throw new Error(`Several questions wait. Give the id of one:\n${formatList(data)}`)
  return only
}

function formatList(data: readonly Approval[]): string {
  if (data.length === 0) return 'Nothing waits for an answer now.\n'
  return data
    .map((approval) => {
      const { title, body } = describeApproval(approval)
      const session = approval.sessionId === null ? '' : ` Session: ${approval.sessionId}.`
      return `${approval.waiter}  ${printable(title)}. ${printable(body)}${session}\n`
    })
    .join('')
}

function describeAnswer(decision: ApprovalDecision): string {
  if (decision.decision === 'once') return 'goes on with one request.'
  if (decision.decision === 'stop') return 'is stopped.'
  return decision.usd === undefined ? 'may go on.' : `may spend ${formatUsd(decision.usd)} more.`
}
