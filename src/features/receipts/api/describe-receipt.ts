// A receipt in words, as the window and the command line show it.
import type { PriceOrigin } from '../../../shared/api/models.ts'
import { BILLED_NAMES } from '../../../shared/money/billed-names.ts'
import { exactUsdDecimals, formatUsd } from '../../../shared/money/format-usd.ts'
import { NANO_PER_USD } from '../../../shared/money/money.ts'
import { type AnyReceipt, RECEIPT_FORMAT, type Receipt, type SumReceipt } from './receipts.ts'

/** How the program that shows the receipt writes numbers and times. */
export interface Formats {
  count(count: number): string
  moment(iso: string): string
  span(from: string, to: string): string
  month(month: string): string
  duration(ms: number): string
  origin(origin: PriceOrigin): string
}

/** Null for a fact that there is not. */
export type Fact = readonly [name: string, text: string | null]

export interface ReceiptText {
  title: string
  id: string
  time: string
  facts: Fact[]
  /** The parts of the total. No amount is shown where `usd` is null. */
  lines: { label: string; note: string; usd: number | null }[]
  totalLabel: string
  /** Null if the model has no price. */
  totalUsd: number | null
  /** Sentences about the total. */
  notes: string[]
  /** How the price came about. */
  details: Fact[]
}

export function describeReceipt(receipt: AnyReceipt, formats: Formats): ReceiptText {
  return receipt.format === RECEIPT_FORMAT ? describeRequest(receipt, formats) : describeSum(receipt, formats)
}

function describeSum({ of, lines, total }: SumReceipt, { count, span, month }: Formats): ReceiptText {
  const isSession = of.kind === 'session'
  const quantity = (requests: number) => `${count(requests)} ${requests === 1 ? 'request' : 'requests'}`
  const isOver = isSession || of.over
  return {
    title: isSession ? 'Receipt of a session' : 'Receipt of a month',
    id: isSession ? of.id : of.month,
    time: isSession ? span(of.startedAt, of.lastAt) : month(of.month),
    facts: isSession ? listNames(of.names) : [['Time zone', of.timeZone]],
    lines: lines.map(({ model, provider, requests, tokensIn, tokensOut, nano }) => ({
      label: model || 'Deleted requests',
      note: `${provider || 'no provider'}, ${quantity(requests)}, ${count(tokensIn)} tokens in, ${count(tokensOut)} out`,
      usd: nano / NANO_PER_USD,
    })),
    totalLabel: 'Total',
    totalUsd: total.usd,
    notes: [
      `${quantity(total.requests)}. Sample costs of the sandbox are not in the sum.`,
      ...(isOver ? [] : ['The month was not over when this was issued.']),
      ...(total.unpriced > 0
        ? [`${count(total.unpriced)} of them have no price, and cost nothing here.`]
        : []),
      ...(total.unsettled > 0 ? [`The cost of ${count(total.unsettled)} is not certain yet.`] : []),
    ],
    details: [],
  }
}

function describeRequest(receipt: Receipt, formats: Formats): ReceiptText {
  const { request, cost, price, timings, attempts } = receipt
  const { model, requestedModel, httpStatus, errorCode } = request
  const asked = model !== null && requestedModel !== model ? `, requested as ${requestedModel}` : ''
  const firstByte =
    timings.firstByteMs === null ? '' : `, first byte after ${formats.duration(timings.firstByteMs)}`
  const isPriced = price !== null && cost.status !== 'confirmed'
  return {
    title: 'Receipt',
    id: request.id,
    time: formats.moment(request.createdAt),
    facts: [
      ['Model', `${model ?? requestedModel ?? 'none'}${asked}`],
      ['Provider', request.provider ?? 'none'],
      ...request.changes.map(({ rule, field, asked: was, sent }): Fact => {
        const change = `${field}: ${was} → ${sent ?? 'removed'}`
        return ['Rule', rule === null ? change : `${change} (${rule})`]
      }),
      ['Request', `${request.endpoint ?? 'unknown'}, ${request.stream ? 'streamed' : 'not streamed'}`],
      [
        'Outcome',
        `${request.status}${httpStatus === null ? '' : `, HTTP ${httpStatus}`}${errorCode === null ? '' : `, ${errorCode}`}`,
      ],
      ...listNames(request.names),
    ],
    lines: listLines(cost, formats),
    totalLabel: cost.status === 'unsettled' ? 'Counted' : 'Total',
    totalUsd: cost.usd,
    notes: describeCertainty(cost, formats),
    details: [
      ['Worth', cost.worthNano === undefined ? null : formatNano(cost.worthNano)],
      ['Saved', cost.savedNano === undefined ? null : formatNano(cost.savedNano)],
      ['Price', isPriced ? describePrice(price, formats) : null],
      ['Time', timings.totalMs === null ? null : `${formats.duration(timings.totalMs)}${firstByte}`],
      ['Attempts', attempts.map((attempt) => describeAttempt(attempt, formats)).join('; ') || null],
    ],
  }
}

function describeAttempt(
  { provider, httpStatus, ms }: Receipt['attempts'][number],
  { duration }: Formats,
): string {
  return `${provider}, ${httpStatus === null ? 'no response' : `HTTP ${httpStatus}`}, ${duration(ms)}`
}

function listNames(names: Receipt['request']['names']): Fact[] {
  if (names === null) return []
  return [
    ['Key', names.key],
    ['Client', names.client ?? 'unknown'],
    ['Project', names.tag],
  ]
}

function listLines(cost: Receipt['cost'], { count }: Formats): ReceiptText['lines'] {
  const counted = cost.lines.map((line) => {
    const [label, unit] = BILLED_NAMES[line.billed]
    const rateUsd = (((line.perMillionNano ?? 0) / NANO_PER_USD) * unit.per) / 1e6
    const rate = ` × ${formatUsd(rateUsd, exactUsdDecimals([rateUsd]))} per ${unit.perName}`
    const note = `${count(line.count)} ${unit.name}${line.perMillionNano === null ? '' : rate}`
    return { label, note, usd: line.nano === null ? null : Number(line.nano) / NANO_PER_USD }
  })
  const isWhole = counted.length === 0 || cost.status === 'confirmed'
  const others: [label: string, note: string, nano: string | null][] = [
    ['Reported', 'by the provider', cost.reportedNano],
    ['Discount', `${cost.discount?.percent}%, negotiated`, cost.discount?.nano ?? null],
    [isWhole ? 'Charge' : 'Other', describeOther(cost), cost.otherNano],
    ['Rounding', 'to a nano-dollar', cost.roundingNano],
  ]
  const more = others.flatMap(([label, note, nano]) =>
    nano === null ? [] : [{ label, note, usd: Number(nano) / NANO_PER_USD }],
  )
  return [...counted, ...more]
}

function describeOther({ status, lines }: Receipt['cost']): string {
  if (status === 'confirmed') return 'as the provider billed it'
  return lines.length === 0 ? 'estimated, nothing was counted' : 'price tiers, special rates and retries'
}

function describePrice(
  { origin, tier, reportedByProvider }: NonNullable<Receipt['price']>,
  formats: Formats,
): string {
  const from = reportedByProvider ? 'cost reported by the provider' : formats.origin(origin)
  return tier === null ? from : `${from}, tier “${tier}”`
}

function describeCertainty(
  { status, lowNano, highNano, confirmation }: Receipt['cost'],
  { moment }: Formats,
): string[] {
  if (confirmation) {
    const by = confirmation.by === 'user' ? 'by the user' : 'from the provider’s export'
    return [
      `Confirmed ${by} on ${moment(confirmation.at)}.`,
      `Before, it was ${confirmation.from} at ${formatNano(confirmation.beforeNano)}.`,
    ]
  }
  if (status !== 'unsettled' || lowNano === null || highNano === null) return []
  return [`It is between ${formatNano(lowNano)} and ${formatNano(highNano)}.`]
}

function formatNano(nano: number): string {
  return formatUsd(nano / NANO_PER_USD)
}
