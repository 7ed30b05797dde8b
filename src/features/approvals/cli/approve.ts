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
    .description('Answer a limit that asks: allow more, let one request go on, or stop.')
    .argument('[id]', 'the request that is meant, if several limits ask; see --list')
    .option('--usd <amount>', `how much more may be spent (${formatUsd(ALLOW_USD, 2)} if left out)`, parseUsd)
    .option('--once', 'let only the request that is shown go on, whatever it costs')
    .option('--stop', 'refuse the requests that wait, and others until the limit resets or is changed')
    .option('--list', 'list what is asked, and answer nothing')
    .action(approve)
  addDataOptions(command)
  addExamples(
    command,
    ['tollgate approve', 'tollgate approve --usd 5', 'tollgate approve --stop', 'tollgate approve --list'],
    'A limit asks if its action is "ask". Its requests wait until the answer, for four minutes by default.',
  )
}

async function approve(id: string | undefined, options: ApproveOptions): Promise<void> {
  const { usd = ALLOW_USD, once, stop, list, json, ...rest } = options
  if (!list) refuseInRun()
  const client = connect(rest)
  const { data } = await client.call('listApprovals')
  if (list) return json ? printJson({ data }) : note(formatList(data))
  const chosen = choose(data, id)
  const decision: ApprovalDecision = once
    ? { decision: 'once', waiter: chosen.waiter }
    : stop
      ? { decision: 'stop' }
      : { decision: 'allow', waiter: chosen.waiter, usd }
  const answered = await client.call('decideApproval', { params: { id: chosen.id }, body: decision })
  if (json) return printJson(answered)
  note(`${printable(chosen.keyName)} ${describeAnswer(decision)}\n`)
}

function choose(data: readonly Approval[], wanted: string | undefined): Approval {
  if (data.length === 0) throw new Error('No limit asks for more now.')
  const matches = wanted === undefined ? data : data.filter(({ waiter }) => waiter === wanted)
  const [only, another] = matches
  if (!only) throw new Error(`“${printable(wanted ?? '')}” does not wait.\n${formatList(data)}`)
  if (another) throw new Error(`Several limits ask. Give the id of one:\n${formatList(data)}`)
  return only
}

function formatList(data: readonly Approval[]): string {
  if (data.length === 0) return 'No limit asks for more now.\n'
  return data
    .map((approval) => {
      const { title, body } = describeApproval(approval)
      return `${approval.waiter}  ${printable(title)} ${printable(body)}\n`
    })
    .join('')
}

function describeAnswer(decision: ApprovalDecision): string {
  if (decision.decision === 'allow') return `may spend ${formatUsd(decision.usd)} more.`
  return decision.decision === 'once' ? 'goes on with one request.' : 'is stopped at its limit.'
}
