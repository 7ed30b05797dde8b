// The usage of a run, as the ledger has it.

import type { GatewayClient } from '../../host/gateway-client.ts'
import type { RequestRecord, UsageBuckets } from '../../shared/api/requests.ts'
import { NO_BUCKETS } from '../../shared/api/usage-buckets.ts'
import { exactUsdDecimals, formatOver, formatUsd } from '../../shared/money/format-usd.ts'
import { printable } from '../../shared/values/text.ts'
import { listAllRequests } from '../list-requests.ts'
import { formatCount, formatDuration, pluralize } from '../terminal/amounts.ts'
import { styled } from '../terminal/print.ts'
import { computeWidth, pad } from '../terminal/text.ts'

/** The sums read from the ledger. */
export interface RunSums {
  keyId: string
  name: string
  tag: string | null
  command: readonly string[]
  startedAt: string
  durationMs: number
  exitCode: number
  signal: string | null
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

export interface RunReceipt extends RunSums {
  /** Whether the key was revoked. */
  revoked: boolean
}

/** The facts of a run without a receipt. */
export interface RunFailure extends RunFacts {
  /** Why the command could not be started, or why there is no receipt. */
  problem: string
  revoked: boolean
}

export type RunFacts = Pick<
  RunSums,
  'keyId' | 'name' | 'tag' | 'command' | 'startedAt' | 'durationMs' | 'exitCode' | 'signal'
>

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
  const [records, usage, key] = await Promise.all([
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
    models: usage.data.map(({ group, requests, costUsd }) => ({ model: group, requests, costUsd })),
    costUsd: key.spendUsd,
    worthUsd: usage.total.worthUsd,
    estimated: count(({ costStatus }) => costStatus === 'estimated' || costStatus === 'unsettled'),
    unpriced: count(({ costStatus }) => costStatus === 'unknown'),
    capUsd: key.spendLimitUsd,
    leftUsd: key.spendLimitUsd === null ? null : Math.max(0, key.spendLimitUsd - key.spendUsd),
  }
}

function sumBuckets(records: readonly RequestRecord[]): RunReceipt['tokens'] {
  const sums: Record<string, number> = { ...NO_BUCKETS }
  for (const { usage } of records) {
    for (const [name, amount] of Object.entries(usage ?? {})) sums[name] = (sums[name] ?? 0) + (amount ?? 0)
  }
  return { ...NO_BUCKETS, ...sums }
}

// The receipt of a run, as it is printed below the output of its command.

/** Buckets that are shown where they are not empty; the first and the last one always. */
const BUCKETS: readonly (readonly [label: string, names: readonly (keyof RunSums['tokens'])[]])[] = [
  ['input', ['input']],
  ['read from cache', ['cacheRead']],
  ['written to cache', ['cacheWrite5m', 'cacheWrite1h']],
  ['audio in', ['audioInput']],
  ['images in', ['imageInput']],
  ['audio out', ['audioOutput']],
  ['images out', ['imageOutput']],
  ['output', ['output']],
]

export function formatReceipt(receipt: RunSums): string {
  const { name, tag, requests, models, costUsd, worthUsd } = receipt
  const decimals = exactUsdDecimals([costUsd, ...models.map((each) => each.costUsd)])
  const lines: [string, string][] = [
    ['Time', formatDuration(receipt.durationMs)],
    ['Requests', `${formatCount(requests)}${describeOdd(receipt)}`],
    ['Tokens', describeTokens(receipt.tokens)],
    ...alignModels(models, (usd) => formatUsd(usd, decimals)),
    ['Cost', `${formatUsd(costUsd, decimals)}${describeCap(receipt, decimals)}`],
    ...(worthUsd > 0 ? [['Worth', `${formatUsd(worthUsd)}, paid by a plan`] as [string, string]] : []),
  ]
  const width = Math.max(...lines.map(([label]) => label.length))
  const title = styled(`Tollgate: ${printable(name)}`, 'bold', process.stderr)
  const project = tag === null ? '' : styled(`, project ${printable(tag)}`, 'dim', process.stderr)
  return `\n${title}${project}\n${lines.map(([label, text]) => `  ${label.padEnd(width)}  ${text}\n`).join('')}`
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

function describeTokens(tokens: RunSums['tokens']): string {
  const last = BUCKETS.length - 1
  const shown = BUCKETS.map(([label, names], index) => ({
    label,
    count: names.reduce((sum, name) => sum + tokens[name], 0),
    always: index === 0 || index === last,
  })).filter(({ count, always }) => always || count > 0)
  const texts = shown.map(({ label, count }) => `${formatCount(count)} ${label}`)
  const reasoning = tokens.reasoning > 0 ? ` (${formatCount(tokens.reasoning)} reasoning)` : ''
  return `${texts.join(', ')}${reasoning}`
}

function alignModels(models: RunSums['models'], usd: (amount: number) => string): [string, string][] {
  const cells = models.map(({ model, requests, costUsd }) => [
    printable(model),
    usd(costUsd),
    pluralize(requests, 'request'),
  ])
  const widths = [0, 1].map((at) => Math.max(0, ...cells.map((row) => computeWidth(row[at] ?? ''))))
  return cells.map(([model = '', cost = '', count = ''], index) => [
    index === 0 ? (models.length > 1 ? 'Models' : 'Model') : '',
    `${pad(model, widths[0] ?? 0)}  ${pad(cost, widths[1] ?? 0, 'right')}  ${count}`,
  ])
}

function describeCap({ costUsd, capUsd, leftUsd }: RunSums, decimals: number): string {
  if (capUsd === null || leftUsd === null) return ', without a cap'
  const over = formatOver(costUsd, capUsd)
  if (over !== null) return `, ${over} the cap of ${formatUsd(capUsd)}`
  return leftUsd === 0
    ? `, the cap of ${formatUsd(capUsd)} is used up`
    : `, ${formatUsd(leftUsd, decimals)} left of ${formatUsd(capUsd)}`
}
