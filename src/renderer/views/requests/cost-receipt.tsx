import type { ReactNode } from 'react'
import { exactUsdDecimals } from '../../../shared/format-usd.ts'
import type { RequestRecord } from '../../../shared/requests.ts'
import { formatCount, formatRate, formatUsd } from '../../format.ts'
import { formatPriceOrigin } from '../models/price-label.ts'
import { type CostLines, createConfirmedLines, createCostLines } from './cost-lines.ts'
import { costNotes } from './status.tsx'

export function CostReceipt({ record }: { record: RequestRecord }) {
  const { usage, price, costUsd, costStatus } = record
  if (costUsd !== null && costStatus === 'confirmed') {
    return <Bill receipt={createConfirmedLines(usage, costUsd)} note={costNotes.confirmed} />
  }
  if (usage === null || price === null || costUsd === null) return <NoCharge record={record} />
  const origin = price.reportedByProvider
    ? 'Cost reported by the provider.'
    : `Price: ${formatPriceOrigin(price.origin)}${price.tier === undefined ? '' : `, tier “${price.tier}”`}.`
  const reasoning =
    usage.reasoning > 0 ? ` ${formatCount(usage.reasoning)} of the output tokens were reasoning.` : ''
  return (
    <Bill
      receipt={createCostLines(usage, price, costUsd)}
      totalLabel={costStatus === 'unsettled' ? 'Counted' : 'Total'}
      note={origin + reasoning}
      warning={costStatus === 'free' ? null : costNotes[costStatus]}
    />
  )
}

function NoCharge({ record }: { record: RequestRecord }) {
  const { costStatus, reservedUsd } = record
  return (
    <div className="flex flex-col gap-1 text-ink-2">
      <p>{costNotes[costStatus] ?? 'Nothing was charged.'}</p>
      {costStatus === 'pending' && reservedUsd > 0 ? (
        <p>{formatUsd(reservedUsd)} is reserved until it ends.</p>
      ) : null}
    </div>
  )
}

interface BillProps {
  receipt: CostLines
  totalLabel?: string
  /** The source of the amount. */
  note: string | null
  /** Why the amount may change or be inexact. */
  warning?: string | null
}

function Bill({ receipt, totalLabel = 'Total', note, warning = null }: BillProps) {
  const { lines, reportedUsd, discount, otherUsd, totalUsd } = receipt
  const amounts = [...lines.map(({ usd }) => usd), reportedUsd, discount?.usd ?? null, otherUsd, totalUsd]
  const decimals = exactUsdDecimals(amounts.filter((usd) => usd !== null))
  const write = (usd: number) => formatUsd(usd, decimals)
  return (
    <div>
      <table className="w-full border-collapse text-sm">
        <tbody>
          {lines.map((line) => (
            <Line key={line.label} label={line.label} amount={line.usd === null ? '' : write(line.usd)}>
              {formatCount(line.count)} {line.unit.name}
              {line.rateUsd === null ? '' : ` × ${formatRate(line.rateUsd)} per ${line.unit.perName}`}
            </Line>
          ))}
          {lines.length === 0 ? <Line label="Usage">none counted</Line> : null}
          {reportedUsd === null ? null : (
            <Line label="Reported" amount={write(reportedUsd)}>
              by the provider
            </Line>
          )}
          {discount ? (
            <Line label="Discount" amount={write(-discount.usd)}>
              {discount.percent}%, negotiated
            </Line>
          ) : null}
          {otherUsd === null ? null : (
            <Line label="Other" amount={write(otherUsd)}>
              price tiers and special rates
            </Line>
          )}
          <tr className="border-t font-semibold">
            <td className="py-1.5">{totalLabel}</td>
            <td />
            <td className="py-1.5 text-right">{write(totalUsd)}</td>
          </tr>
        </tbody>
      </table>
      {note ? <p className="mt-1 text-ink-3 text-sm">{note}</p> : null}
      {warning ? <p className="mt-1 text-sm text-warn">{warning}</p> : null}
    </div>
  )
}

function Line({ label, amount, children }: { label: string; amount?: string; children?: ReactNode }) {
  return (
    <tr className="align-baseline">
      <td className="whitespace-nowrap py-1 pr-3">{label}</td>
      <td className="py-1 pr-3 text-ink-3">{children}</td>
      <td className="whitespace-nowrap py-1 text-right">{amount}</td>
    </tr>
  )
}
