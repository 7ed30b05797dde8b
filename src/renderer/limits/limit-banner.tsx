import { useQuery } from '@tanstack/react-query'
import { CircleAlert } from 'lucide-react'
import { chooseUsdDecimals, formatDay, formatUsd } from '../format.ts'
import { queries } from '../server-state/queries.ts'
import { RaiseMonthlyLimit } from './raise-limit.tsx'

/** Over every view while the monthly limit rejects all requests. */
export function LimitBanner() {
  const { data: account } = useQuery(queries.account)
  if (!account) return null
  const { monthSpendUsd, monthlyLimitUsd, monthResetsAt, timeZone } = account
  if (monthlyLimitUsd === null || monthSpendUsd < monthlyLimitUsd) return null
  const decimals = chooseUsdDecimals([monthSpendUsd, monthlyLimitUsd])
  const spent = `${formatUsd(monthSpendUsd, decimals)} of ${formatUsd(monthlyLimitUsd, decimals)} spent.`
  return (
    <div
      role="alert"
      className="flex min-h-11 shrink-0 items-center gap-3 border-line border-b bg-bad-soft px-4 py-1.5 text-bad"
    >
      <CircleAlert size={15} aria-hidden className="shrink-0" />
      {/* The button is beside the text, because the detail of a request covers the right of the window. */}
      <p className="min-w-0">
        <strong className="font-semibold">This month’s limit is reached.</strong> {spent} Every request is
        rejected until {formatDay(monthResetsAt, Date.now(), timeZone)}, unless you raise the limit.
      </p>
      <RaiseMonthlyLimit />
    </div>
  )
}
