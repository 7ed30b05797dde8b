import { exactUsdDecimals } from '../../../shared/money/format-usd.ts'
import { cn } from '../../kit/cn.ts'
import { formatCount, formatRate, formatUsd } from '../../kit/format.ts'
import type { CostLine } from './cost-lines.ts'

export interface CostRow {
  label: string
  note: string
  /** Null: no amount is shown. */
  usd: number | null
}

/** "1,526 tokens × $0.10 per million". */
export function toCostRow({ label, count, unit, rateUsd, usd }: CostLine): CostRow {
  const rate = rateUsd === null ? '' : ` × ${formatRate(rateUsd)} per ${unit.perName}`
  return { label, note: `${formatCount(count)} ${unit.name}${rate}`, usd }
}

interface CostTableProps {
  rows: readonly CostRow[]
  totalLabel: string
  totalUsd: number
  /** Whether it is large, as on a receipt. */
  large?: boolean
  /** Whether notes are below their labels, for long ones. */
  stacked?: boolean
}

/** The parts of a charge. All amounts have as many decimals as the most exact one needs. */
export function CostTable({ rows, totalLabel, totalUsd, large = false, stacked = false }: CostTableProps) {
  const decimals = exactUsdDecimals([...rows.map(({ usd }) => usd ?? 0), totalUsd])
  const padding = large ? 'py-2' : 'py-1.5'
  return (
    <table className={cn('w-full border-collapse', !large && 'text-sm')}>
      <caption className="sr-only">Cost</caption>
      <tbody>
        {rows.map(({ label, note, usd }) => (
          <tr key={label} className="align-baseline">
            <td className={cn('py-1 pr-3', stacked ? 'break-words' : 'whitespace-nowrap')}>
              {label}
              {stacked ? <span className="block text-ink-3 text-sm">{note}</span> : null}
            </td>
            {stacked ? null : <td className="py-1 pr-3 text-ink-3 text-sm">{note}</td>}
            <td className="whitespace-nowrap py-1 text-right">
              {usd === null ? '' : formatUsd(usd, decimals)}
            </td>
          </tr>
        ))}
        <tr className="border-line border-t font-semibold">
          <td className={padding}>{totalLabel}</td>
          {stacked ? null : <td />}
          <td className={cn('text-right', padding, large && 'text-lg')}>{formatUsd(totalUsd, decimals)}</td>
        </tr>
      </tbody>
    </table>
  )
}
