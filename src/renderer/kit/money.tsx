import { Link } from 'wouter'
import { create } from 'zustand'
import { localizeNumber } from '../../shared/values/locale.ts'
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
  const title = useExactAmount(usd)
  return (
    <span title={title} data-usd={usd} className={className}>
      {formatUsd(usd, decimals)}
    </span>
  )
}

/** The amount to the nano-dollar, and in the second currency. */
function useExactAmount(usd: number): string {
  const second = useSecondCurrency((store) => store.second)
  return second === null ? formatUsdExact(usd) : `${formatUsdExact(usd)}, ${formatSecond(usd, second)}`
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
  const title = useExactAmount(usd)
  const written = text.replace(/(\.\d\d\d*?)0+$/, '$1')
  return (
    <span
      title={title}
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

// Amounts in a second currency, at a rate that the user typed in. The ledger, caps and exports stay in USD.

export const CURRENCIES = [
  ...['AUD', 'BRL', 'CAD', 'CHF', 'CNY', 'CZK', 'DKK', 'EUR', 'GBP', 'HKD', 'IDR', 'ILS', 'INR', 'JPY'],
  ...['KRW', 'MXN', 'NOK', 'NZD', 'PLN', 'SEK', 'SGD', 'THB', 'TRY', 'TWD', 'UAH', 'ZAR'],
] as const

export interface SecondCurrency {
  /** Its code in ISO 4217. */
  code: string
  /** Units of it for one USD. */
  rate: number
  /** The day on which the rate was typed in, YYYY-MM-DD. */
  asOf: string
}

interface CurrencyStore {
  /** Null while amounts are in USD only. */
  second: SecondCurrency | null
  choose(second: SecondCurrency | null): void
}

const STORAGE_KEY = 'tollgate.currency'

/** The choice of this window or browser, as the theme is. */
export const useSecondCurrency = create<CurrencyStore>()((set) => ({
  second: null,
  choose(second) {
    if (second === null) localStorage.removeItem(STORAGE_KEY)
    else localStorage.setItem(STORAGE_KEY, `${second.code} ${second.rate} ${second.asOf}`)
    set({ second })
  },
}))

/** Shows the stored currency. Call it before the first paint. */
export function startSecondCurrency(): void {
  useSecondCurrency.setState({ second: readStored() })
}

function readStored(): SecondCurrency | null {
  const [code = '', rate, asOf = ''] = (localStorage.getItem(STORAGE_KEY) ?? '').split(' ')
  const isKnown = CURRENCIES.some((one) => one === code) && Number(rate) > 0 && /^\d{4}-\d\d-\d\d$/.test(asOf)
  return isKnown ? { code, rate: Number(rate), asOf } : null
}

/** "≈ €12.30", with the currency's own decimals; of less than one of its units, two significant digits. */
export function formatSecond(usd: number, { code, rate }: SecondCurrency): string {
  const amount = usd * rate
  const isSmall = amount !== 0 && Math.abs(amount) < 1
  const text = new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency: code,
    ...(isSmall && { maximumSignificantDigits: 2 }),
  }).format(amount)
  return `≈ ${localizeNumber(text)}`
}

/** An amount of USD in the second currency; renders nothing without one. */
export function InSecondCurrency({ usd, className }: { usd: number; className?: string }) {
  const second = useSecondCurrency((store) => store.second)
  if (second === null) return null
  return (
    <span title={`1 USD = ${second.rate} ${second.code}, typed in on ${second.asOf}`} className={className}>
      {formatSecond(usd, second)}
    </span>
  )
}

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
