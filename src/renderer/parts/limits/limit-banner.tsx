import { useQuery } from '@tanstack/react-query'
import { CircleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Account } from '../../../shared/api/account.ts'
import type { AccountSpendLimitState } from '../../../shared/api/spend-limits.ts'
import { describeKind, toKind } from '../../../shared/limits/limits.ts'
import { queries } from '../../data/queries.ts'
import { chooseUsdDecimals, formatDay, formatUsd } from '../../kit/format.ts'
import { useNow } from '../../kit/use-now.ts'
import { describeReset } from './limit-text.ts'
import { RaiseMonthlyLimit, RaiseSpendLimit } from './raise-limit.tsx'

/** Over every view while a limit of the account rejects requests: the monthly one, or the first other one that is reached. */
export function LimitBanner() {
  const { data: account } = useQuery(queries.account)
  if (!account) return null
  const { monthSpendUsd, monthlyLimitUsd } = account
  if (monthlyLimitUsd !== null && monthSpendUsd >= monthlyLimitUsd) {
    return <MonthBanner account={account} limitUsd={monthlyLimitUsd} />
  }
  // A limit per session stops one session, which ends anyway.
  const reached = account.spendLimits.find(
    ({ usd, spentUsd, per, action }) => action !== 'warn' && per !== 'session' && spentUsd >= usd,
  )
  return reached ? <SpendLimitBanner limit={reached} timeZone={account.timeZone} /> : null
}

function MonthBanner({ account, limitUsd }: { account: Account; limitUsd: number }) {
  const { monthSpendUsd, monthResetsAt, timeZone } = account
  return (
    <Banner action={<RaiseMonthlyLimit />}>
      <strong className="font-semibold">This month’s limit is reached.</strong>{' '}
      {formatSpent(monthSpendUsd, limitUsd)} Every request is rejected until{' '}
      {formatDay(monthResetsAt, Date.now(), timeZone)}, unless you raise the limit.
    </Banner>
  )
}

function SpendLimitBanner({ limit, timeZone }: { limit: AccountSpendLimitState; timeZone: string }) {
  const now = useNow()
  const { usd, spentUsd, resetsAt } = limit
  const kind = toKind(limit)
  const reset = describeReset({ resetsAt }, now, timeZone)
  const which =
    kind.model === undefined && kind.tag === undefined
      ? 'Every request is rejected'
      : `Requests${kind.model === undefined ? '' : ` to ${kind.model}`}${kind.tag === undefined ? '' : ` in ${kind.tag}`} are rejected`
  return (
    <Banner action={<RaiseSpendLimit keyId={null} kind={kind} limit={limit} />}>
      <strong className="font-semibold">
        The limit of {formatUsd(usd)} {describeKind(kind)} is reached.
      </strong>{' '}
      {formatSpent(spentUsd, usd)} {which}
      {reset === '' ? '' : ` until it ${reset}`}, unless you raise the limit.
    </Banner>
  )
}

function formatSpent(spentUsd: number, limitUsd: number): string {
  const decimals = chooseUsdDecimals([spentUsd, limitUsd])
  return `${formatUsd(spentUsd, decimals)} of ${formatUsd(limitUsd, decimals)} spent.`
}

function Banner({ action, children }: { action: ReactNode; children: ReactNode }) {
  return (
    <div
      role="alert"
      className="flex min-h-11 shrink-0 items-center gap-3 border-line border-b bg-bad-soft px-4 py-1.5 text-bad"
    >
      <CircleAlert size={15} aria-hidden className="shrink-0" />
      {/* The button is next to the text, because the detail of a request covers the right of the window. */}
      <p className="min-w-0">{children}</p>
      {action}
    </div>
  )
}
