import { Link } from 'wouter'
import { cn } from './cn.ts'
import { formatCount, formatQuantity, formatUsd, formatUsdExact } from './format.ts'

interface MoneyProps {
  usd: number
  /**
   * The number of decimals for amounts that are shown together: the same for all, by `chooseUsdDecimals`. Defaults to that
   * of the amount alone.
   */
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

/** The decimals of what single requests cost: below a dollar, and from there up. */
const REQUEST_DECIMALS = 6
const CENTS = 2

/**
 * An amount in a right-aligned column, with its point below those of the others. Zeros at the end, beyond the cents, are dimmed.
 * By default it is what a single request cost, which needs no more than cents from a dollar up: the rest is space.
 */
export function ColumnMoney({ usd, decimals, className }: MoneyProps) {
  const isLarge = decimals === undefined && Math.abs(usd) >= 1
  const text = formatUsd(usd, isLarge ? CENTS : (decimals ?? REQUEST_DECIMALS))
  const written = text.replace(/(\.\d\d\d*?)0+$/, '$1')
  return (
    <span
      title={formatUsdExact(usd)}
      data-usd={usd}
      style={isLarge ? { paddingRight: `${REQUEST_DECIMALS - CENTS}ch` } : undefined}
      className={cn('whitespace-nowrap', className)}
    >
      {written}
      {written === text ? null : <span className="text-ink-3">{text.slice(written.length)}</span>}
    </span>
  )
}

/**
 * The requests that a sum of costs leaves out: their cost is unknown, as their model has no price. Renders nothing for none.
 */
export function Unpriced({ count, short = false }: { count: number; short?: boolean }) {
  if (count === 0) return null
  const without = `${formatQuantity(count, 'request')} without a price`
  if (short) {
    return (
      <Link
        href={PRICES}
        title={`The sum leaves out ${without}. Set prices`}
        className="target whitespace-nowrap font-normal text-accent-ink text-sm hover:underline"
      >{`+ ${formatCount(count)} unpriced`}</Link>
    )
  }
  return (
    <span className="text-ink-3">
      + {without} ·{' '}
      <Link href={PRICES} className="target text-accent-ink underline underline-offset-2">
        Set prices
      </Link>
    </span>
  )
}

/** The models without a price. */
const PRICES = '/models?price=none'

/** Amounts that are known of requests and were not charged. */
export interface UnchargedSums {
  worthUsd: number
  savedUsd?: number
}

const AMOUNTS = [
  ['worthUsd', 'worth', 'Paid by your plan. It would have cost this by the vendor’s API.'],
  ['savedUsd', 'saved', 'Answered from the response cache. The stored answers cost this.'],
] as const

/** The worth of requests that a plan paid for, and what the response cache saved, next to the cost. Renders nothing for none. */
export function Uncharged({ sums, className = 'text-ink-3' }: { sums: UnchargedSums; className?: string }) {
  return (
    <>
      {AMOUNTS.map(([name, label, title]) => {
        const usd = sums[name]
        if (!usd) return null
        return (
          <span key={name} className={className} title={title}>
            {label} {formatUsd(usd)}
          </span>
        )
      })}
    </>
  )
}
