// Amounts in a second currency, at a rate that the user typed in. The ledger, caps and exports stay in USD.
import { create } from 'zustand'
import { localizeNumber } from '../../shared/values/locale.ts'

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
