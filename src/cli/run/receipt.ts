// The usage of a run, as the ledger has it, and as it is printed below the output of its command.
import type { GatewayClient } from '../../host/gateway-client.ts'
import type { RequestRecord, UsageBuckets } from '../../shared/api/requests.ts'
import { BILLED_BUCKETS, NO_BUCKETS } from '../../shared/api/usage-buckets.ts'
import { BILLED_NAMES } from '../../shared/money/billed-names.ts'
import { exactUsdDecimals, formatOver, formatUsd } from '../../shared/money/format-usd.ts'
import { printable } from '../../shared/values/text.ts'
import { formatFields } from '../commands/key-texts.ts'
import { listAllRequests } from '../list-requests.ts'
import { formatCount, formatDuration, pluralize } from '../terminal/amounts.ts'
import { styled } from '../terminal/print.ts'

export interface RunFacts {
  keyId: string
  name: string
  tag: string | null
  command: readonly string[]
  startedAt: string
  durationMs: number
  exitCode: number
  signal: string | null
}

/** The sums read from the ledger. */
export interface RunSums extends RunFacts {
  /** All that reached the gateway. */
  requests: number
  failed: number
  /** Stopped by a cap or limit, or not valid. */
  refused: number
  /** The number of requests that were still running when the receipt was made. */
  running: number
  /** The tokens in disjoint buckets; reasoning is part of the output. */
  tokens: Readonly<Record<keyof UsageBuckets, number>>
  models: readonly { model: string; requests: number; costUsd: number }[]
  costUsd: number
  /** The cost by the vendor's API of requests that a plan paid for. */
  worthUsd: number
  /** Requests whose cost is counted or bounded by Tollgate, and those without a price, which are not in it. */
  estimated: number
  unpriced: number
  capUsd: number | null
  leftUsd: number | null
}

/** The content of the file of `--receipt`. */
export type RunReceipt = RunSums & Revocation

/** The facts of a run without a receipt. */
export type RunFailure = RunFacts &
  Revocation & {
    /** Why the command could not be started, or why there is no receipt. */
    problem: string
  }

interface Revocation {
  /** Whether the key was revoked. */
  revoked: boolean
}

/** How long requests of a command that has ended may take to be settled. */
const SETTLE_MS = 10_000

/** Waits until no request of the key runs, for ten seconds at most or until `hurry` aborts. */
export async function waitUntilSettled(
  client: GatewayClient,
  key: string,
  hurry: AbortSignal,
): Promise<void> {
  const ends = AbortSignal.any([hurry, AbortSignal.timeout(SETTLE_MS)])
  const isRunning = async () => {
    const { data } = await client.call('listRequests', { query: { key, status: 'running', limit: 1 } })
    return data.length > 0
  }
  const events = await client.events(ends).catch((error: unknown) => {
    if (ends.aborted) return null
    throw error
  })
  if (!events || !(await isRunning())) return
  for await (const event of events) {
    const hasEnded =
      event.type === 'request' && event.request.keyId === key && event.request.status !== 'running'
    if (hasEnded && !(await isRunning())) return
  }
}

export async function readReceipt(client: GatewayClient, facts: RunFacts): Promise<RunSums> {
  const { keyId, startedAt } = facts
  const [records, { data, total }, key] = await Promise.all([
    listAllRequests(client, { key: keyId }),
    client.call('getUsage', { query: { key: keyId, groupBy: 'model', from: startedAt } }),
    client.call('getKey', { params: { id: keyId } }),
  ])
  const count = (matches: (record: RequestRecord) => boolean) =>
    records.reduce((sum, record) => sum + (matches(record) ? record.count : 0), 0)
  return {
    ...facts,
    requests: count(() => true),
    failed: count(({ status }) => status === 'failed'),
    refused: count(({ status }) => status === 'refused' || status === 'rejected'),
    running: count(({ status }) => status === 'running'),
    tokens: sumBuckets(records),
    models: data.map(({ group, requests, costUsd }) => ({ model: group, requests, costUsd })),
    costUsd: key.spendUsd,
    worthUsd: total.worthUsd,
    estimated: count(({ costStatus }) => costStatus === 'estimated' || costStatus === 'unsettled'),
    unpriced: count(({ costStatus }) => costStatus === 'unknown'),
    capUsd: key.spendLimitUsd,
    leftUsd: key.spendLimitUsd === null ? null : Math.max(0, key.spendLimitUsd - key.spendUsd),
  }
}

function sumBuckets(records: readonly RequestRecord[]): RunSums['tokens'] {
  const sums: Record<string, number> = { ...NO_BUCKETS }
  for (const { usage } of records) {
    for (const [name, amount] of Object.entries(usage ?? {})) sums[name] = (sums[name] ?? 0) + (amount ?? 0)
  }
  return { ...NO_BUCKETS, ...sums }
}

export function formatReceipt(receipt: RunSums): string {
  const { name, tag, requests, tokens, models, costUsd, worthUsd } = receipt
  const decimals = exactUsdDecimals([costUsd, ...models.map((model) => model.costUsd)])
  const usd = (amount: number) => formatUsd(amount, decimals)
  const costWidth = Math.max(0, ...models.map((model) => usd(model.costUsd).length))
  const title = styled(`Tollgate: ${printable(name)}`, 'bold', process.stderr)
  const project = tag === null ? '' : styled(`, project ${printable(tag)}`, 'dim', process.stderr)
  const fields = formatFields([
    ['Time', formatDuration(receipt.durationMs)],
    ['Requests', `${formatCount(requests)}${describeOdd(receipt)}`],
    ['Tokens', describeTokens(tokens)],
    ...models.map((each, index): [string, string] => [
      index > 0 ? '' : models.length > 1 ? 'Models' : 'Model',
      `${usd(each.costUsd).padStart(costWidth)}  ${each.model}, ${pluralize(each.requests, 'request')}`,
    ]),
    ['Cost', `${usd(costUsd)}${describeCap(receipt, usd)}`],
    ['Worth', worthUsd > 0 ? `${formatUsd(worthUsd)}, paid by a plan` : null],
  ])
  return `\n${title}${project}\n${fields.replace(/^(?=.)/gm, '  ')}`
}

const TOKENS = BILLED_BUCKETS.filter((bucket) => BILLED_NAMES[bucket][1].name === 'tokens')

function describeTokens(tokens: RunSums['tokens']): string {
  const shown = TOKENS.filter((name) => tokens[name] > 0 || name === 'input' || name === 'output')
  const texts = shown.map((name) => `${formatCount(tokens[name])} ${BILLED_NAMES[name][0].toLowerCase()}`)
  const reasoning = tokens.reasoning > 0 ? ` (${formatCount(tokens.reasoning)} reasoning)` : ''
  return `${texts.join(', ')}${reasoning}`
}

function describeOdd({ failed, refused, running, estimated, unpriced }: RunSums): string {
  const parts = [
    [failed, 'failed'],
    [refused, 'refused'],
    [running, 'still running'],
    [estimated, 'with an estimated cost'],
    [unpriced, 'without a price'],
  ] as const
  const shown = parts.filter(([count]) => count > 0).map(([count, what]) => `${formatCount(count)} ${what}`)
  return shown.length > 0 ? ` (${shown.join(', ')})` : ''
}

function describeCap({ costUsd, capUsd, leftUsd }: RunSums, usd: (amount: number) => string): string {
  if (capUsd === null || leftUsd === null) return ', without a cap'
  const over = formatOver(costUsd, capUsd)
  if (over !== null) return `, ${over} the cap of ${formatUsd(capUsd)}`
  return leftUsd === 0
    ? `, the cap of ${formatUsd(capUsd)} is used up`
    : `, ${usd(leftUsd)} left of ${formatUsd(capUsd)}`
}
