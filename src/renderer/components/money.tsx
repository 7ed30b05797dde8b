import { formatUsd, formatUsdExact } from '../format.ts'
import { cn } from './cn.ts'

interface MoneyProps {
  usd: number
  /** For amounts that are shown together: the same for all, by `chooseUsdDecimals`. By default that of the amount alone. */
  decimals?: number
  className?: string | undefined
}

/** An amount in short form, with the exact one (to the nano-dollar) as its tooltip. */
export function Money({ usd, decimals, className }: MoneyProps) {
  return (
    <span title={formatUsdExact(usd)} data-usd={usd} className={className}>
      {formatUsd(usd, decimals)}
    </span>
  )
}

/** The decimals of what single requests cost. */
const REQUEST_DECIMALS = 6

/**
 * An amount in a right-aligned column in which all have the same number of decimals, so that their points are below each other. Zeros
 * at the end, beyond the cents, are dimmed.
 */
export function ColumnMoney({ usd, decimals = REQUEST_DECIMALS, className }: MoneyProps) {
  const text = formatUsd(usd, decimals)
  const written = text.replace(/(\.\d\d\d*?)0+$/, '$1')
  return (
    <span title={formatUsdExact(usd)} data-usd={usd} className={cn('whitespace-nowrap', className)}>
      {written}
      {written === text ? null : <span className="text-ink-3">{text.slice(written.length)}</span>}
    </span>
  )
}
