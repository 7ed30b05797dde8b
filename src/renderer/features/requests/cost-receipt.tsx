import { type FormEvent, useState } from 'react'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import { settleRequest } from '../../data/mutations.ts'
import { Button } from '../../kit/button.tsx'
import { Field, Input } from '../../kit/field.tsx'
import { formatCount, formatUsdExact } from '../../kit/format.ts'
import { type ParsedUsd, parseUsd } from '../../kit/number-input.ts'
import { useSubmit } from '../../kit/use-submit.ts'
import {
  type CostLines,
  type CostRow,
  CostTable,
  createConfirmedLines,
  createCostLines,
  toCostRow,
} from '../../parts/requests/cost-table.tsx'
import { formatPriceOrigin } from '../../parts/requests/price-label.ts'
import { costNotes, describeCostStatus, SAMPLE_NOTE } from '../../parts/requests/status.tsx'

export function SettleForm({ record }: { record: RequestRecord }) {
  const { id, costLowUsd, costHighUsd } = record
  const [text, setText] = useState('')
  const { pending, error, submit, reset } = useSubmit()
  const read = parseBilledCost(text, costLowUsd, costHighUsd)
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!read.ok || read.usd === null) return
    const { usd } = read
    const panel = event.currentTarget.closest<HTMLElement>('[role=dialog]')
    void submit(async () => {
      await settleRequest(id, usd)
      // The form has unmounted and the focus would be lost with it.
      panel?.focus()
    })
  }
  const bounds =
    costLowUsd !== null && costHighUsd !== null
      ? `: between ${formatUsdExact(costLowUsd)} and ${formatUsdExact(costHighUsd)}`
      : ''
  return (
    <form onSubmit={onSubmit} className="rounded-lg bg-warn-soft px-3.5 py-3">
      <p className="font-medium">
        This charge is unsettled{bounds}. <span className="font-normal">What did the provider bill?</span>
      </p>
      <Field label="Billed, USD" error={read.ok ? null : read.message} className="mt-2.5">
        {(tie) => (
          <div className="flex items-center gap-2">
            <Input
              {...tie}
              inputMode="decimal"
              placeholder="0.00"
              value={text}
              onChange={({ target }) => {
                setText(target.value)
                reset()
              }}
              readOnly={pending}
              className="max-w-40"
            />
            <Button type="submit" disabled={!read.ok || read.usd === null} pending={pending}>
              Confirm cost
            </Button>
          </div>
        )}
      </Field>
      {error ? (
        <p role="alert" className="mt-1.5 text-bad text-sm">
          {error.message}
          {error.requestId ? <span className="block font-mono text-xs">{error.requestId}</span> : null}
        </p>
      ) : null}
    </form>
  )
}

/** Parses the amount a provider billed. The bounds are in USD and inclusive; null is no bound. */
export function parseBilledCost(text: string, lowUsd: number | null, highUsd: number | null): ParsedUsd {
  const read = parseUsd(text)
  if (!read.ok || read.usd === null) return read
  if (highUsd !== null && read.usd > highUsd) {
    return {
      ok: false,
      message: `It cannot have cost more than ${formatUsdExact(highUsd)}, the most it could use.`,
    }
  }
  if (lowUsd !== null && read.usd < lowUsd) {
    return { ok: false, message: `It cannot have cost less than ${formatUsdExact(lowUsd)}.` }
  }
  return read
}

export function CostReceipt({ record }: { record: RequestRecord }) {
  const { usage, price, costStatus, sample } = record
  const isWorth = costStatus === 'plan'
  const costUsd = isWorth ? record.worthUsd : record.costUsd
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
      totalLabel={isWorth ? 'Worth' : costStatus === 'unsettled' ? 'Counted' : 'Total'}
      note={(sample ? SAMPLE_NOTE : origin) + reasoning}
      warning={costStatus === 'free' ? null : describeCostStatus(costStatus, record.costHighUsd)}
    />
  )
}

function NoCharge({ record }: { record: RequestRecord }) {
  return <p className="text-ink-2">{costNotes[record.costStatus] ?? 'Nothing was charged.'}</p>
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
  if (counted.length === 0) counted.push({ label: 'Usage', note: 'none counted', usd: null })
  if (reportedUsd !== null) counted.push({ label: 'Reported', note: 'by the provider', usd: reportedUsd })
  if (discount)
    counted.push({ label: 'Discount', note: `${discount.percent}%, negotiated`, usd: -discount.usd })
  if (otherUsd !== null)
    counted.push({ label: 'Other', note: 'price tiers and special rates', usd: otherUsd })
  return counted
}
