// The receipt of a run, as it is printed below the output of its command.
import { exactUsdDecimals, formatOver, formatUsd } from '../../shared/money/format-usd.ts'
import { printable } from '../../shared/values/text.ts'
import { formatCount, formatDuration, pluralize } from '../terminal/amounts.ts'
import { styled } from '../terminal/style.ts'
import { computeWidth, pad } from '../terminal/text.ts'
import type { RunSums } from './receipt.ts'

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
  const { name, tag, requests, models, costUsd } = receipt
  const decimals = exactUsdDecimals([costUsd, ...models.map((each) => each.costUsd)])
  const lines: [string, string][] = [
    ['Time', formatDuration(receipt.durationMs)],
    ['Requests', `${formatCount(requests)}${describeOdd(receipt)}`],
    ['Tokens', describeTokens(receipt.tokens)],
    ...alignModels(models, (usd) => formatUsd(usd, decimals)),
    ['Cost', `${formatUsd(costUsd, decimals)}${describeCap(receipt, decimals)}`],
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
