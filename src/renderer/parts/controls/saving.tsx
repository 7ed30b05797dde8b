import { formatCount } from '../../kit/format.ts'
import { ColumnMoney } from '../../kit/money.tsx'

interface SavingProps {
  chargedUsd: number
  costUsd: number
  decimals: number
}

/** The saving, and its part of the charges; negative if it costs more. */
export function Saving({ chargedUsd, costUsd, decimals }: SavingProps) {
  const usd = chargedUsd - costUsd
  const percent = chargedUsd === 0 ? null : Math.round((100 * usd) / chargedUsd)
  return (
    <span className={usd > 0 ? 'text-good' : 'text-ink-2'}>
      <ColumnMoney usd={usd} decimals={decimals} />
      <span className="ml-2 inline-block w-14">
        {percent === null ? '' : `${percent < 0 ? '−' : ''}${formatCount(Math.abs(percent))}%`}
      </span>
    </span>
  )
}
