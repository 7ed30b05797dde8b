import { t } from 'ttag'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import { formatCount } from '../../kit/format.ts'
import { type CostLines, createConfirmedLines, createCostLines } from '../../parts/requests/cost-lines.ts'
import { type CostRow, CostTable, toCostRow } from '../../parts/requests/cost-table.tsx'
import { formatPriceOrigin } from '../../parts/requests/price-label.ts'
import { costNotes, SAMPLE_NOTE } from '../../parts/requests/status.tsx'

export function CostReceipt({ record }: { record: RequestRecord }) {
  const { usage, price, costStatus, sample } = record
  const isWorth = costStatus === 'plan'
  const costUsd = isWorth ? record.worthUsd : record.costUsd
  if (costUsd !== null && costStatus === 'confirmed') {
    return <Bill receipt={createConfirmedLines(usage, costUsd)} note={costNotes.confirmed} />
  }
  if (usage === null || price === null || costUsd === null) return <NoCharge record={record} />
  const origin = price.reportedByProvider
    ? t`Cost reported by the provider.`
    : t`Price: ${formatPriceOrigin(price.origin)}${price.tier === undefined ? '' : t`, tier “${price.tier}”`}.`
  const reasoning =
    usage.reasoning > 0 ? t` ${formatCount(usage.reasoning)} of the output tokens were reasoning.` : ''
  return (
    <Bill
      receipt={createCostLines(usage, price, costUsd)}
      totalLabel={isWorth ? t`Worth` : costStatus === 'unsettled' ? t`Counted` : t`Total`}
      note={(sample ? SAMPLE_NOTE : origin) + reasoning}
      warning={costStatus === 'free' ? null : costNotes[costStatus]}
    />
  )
}

function NoCharge({ record }: { record: RequestRecord }) {
  return <p className="text-ink-2">{costNotes[record.costStatus] ?? t`Nothing was charged.`}</p>
}

interface BillProps {
  receipt: CostLines
  totalLabel?: string
  /** The source of the amount. */
  note: string | null
  /** Why the amount may change or be inexact. */
  warning?: string | null
}

function Bill({ receipt, totalLabel = t`Total`, note, warning = null }: BillProps) {
  return (
    <div>
      <CostTable rows={listRows(receipt)} totalLabel={totalLabel} totalUsd={receipt.totalUsd} />
      {note ? <p className="mt-1 text-ink-3 text-sm">{note}</p> : null}
      {warning ? <p className="mt-1 text-sm text-warn">{warning}</p> : null}
    </div>
  )
}

function listRows({ lines, reportedUsd, discount, otherUsd }: CostLines): CostRow[] {
  const counted = lines.map(toCostRow)
  if (counted.length === 0) counted.push({ label: t`Usage`, note: t`none counted`, usd: null })
  if (reportedUsd !== null) counted.push({ label: t`Reported`, note: t`by the provider`, usd: reportedUsd })
  if (discount)
    counted.push({ label: t`Discount`, note: t`${discount.percent}%, negotiated`, usd: -discount.usd })
  if (otherUsd !== null)
    counted.push({ label: t`Other`, note: t`price tiers and special rates`, usd: otherUsd })
  return counted
}
