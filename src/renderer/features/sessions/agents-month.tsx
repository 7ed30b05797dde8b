import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { t } from 'ttag'
import type { Account, Subscription } from '../../../shared/api/account.ts'
import { isAgent } from '../../data/agents.ts'
import { api } from '../../data/api.ts'
import { queries } from '../../data/queries.ts'
import { type Query, query } from '../../data/query-client.ts'
import { Button } from '../../kit/button.tsx'
import { chooseUsdDecimals, formatUsd } from '../../kit/format.ts'
import { Money } from '../../kit/money.tsx'
import { Skeleton } from '../../kit/notice.tsx'
import { KNOWN_SUBSCRIPTIONS } from './known-subscriptions.ts'
import { SubscriptionsDialog } from './subscriptions-dialog.tsx'

const flatUsd = KNOWN_SUBSCRIPTIONS.map(({ monthlyUsd }) => monthlyUsd)
const FLAT_PRICES = t`Flat subscriptions with an agent cost from $${Math.min(...flatUsd)} to $${Math.max(...flatUsd)} per month.`

interface AgentSpend {
  usd: number
  unpriced: number
}

/** The cost of the agents since a moment. Live events refresh queries that begin with `usage-in`. */
function agentSpend({ monthStartsAt, timeZone }: Account): Query<AgentSpend> {
  return query(['usage-in', 'agents', monthStartsAt], async () => {
    const { data } = await api('getUsage', { query: { groupBy: 'client', from: monthStartsAt, timeZone } })
    const agents = data.filter(({ group }) => isAgent(group))
    return {
      usd: agents.reduce((sum, { costUsd }) => sum + costUsd, 0),
      unpriced: agents.reduce((sum, { unpriced }) => sum + unpriced, 0),
    }
  })
}

/** This month's cost of the agents at API prices, compared with the cost of flat subscriptions. */
export function AgentsMonth() {
  const { data: account } = useQuery(queries.account)
  return (
    <div className="flex min-h-12 shrink-0 flex-wrap items-center gap-x-4 gap-y-1 overflow-hidden border-line border-t px-6 py-2 [scrollbar-gutter:stable] max-sm:px-4">
      {account ? <Comparison account={account} /> : <Skeleton className="h-5 w-96 max-w-full" />}
    </div>
  )
}

function Comparison({ account }: { account: Account }) {
  const { data: spend } = useQuery(agentSpend(account))
  const { data: settings } = useQuery(queries.settings)
  const [editing, setEditing] = useState(false)
  if (!spend || !settings) return <Skeleton className="h-5 w-96 max-w-full" />
  const { subscriptions } = settings
  return (
    <>
      <p>
        <span className="text-ink-2">{t`This month’s agents:`} </span>
        <Money usd={spend.usd} className="font-semibold text-lg" />
        <span className="text-ink-2"> {t`at API prices`}</span>
        {spend.unpriced === 0 ? null : (
          <span className="text-warn">{t`+ ${spend.unpriced} requests without a price`}</span>
        )}
      </p>
      <p className="text-ink-2">
        {subscriptions.length === 0 ? FLAT_PRICES : compare(spend.usd, subscriptions)}
      </p>
      <Button small className="ml-auto" onClick={() => setEditing(true)}>
        {subscriptions.length === 0 ? t`Compare with yours` : t`Edit subscriptions`}
      </Button>
      {editing ? (
        <SubscriptionsDialog subscriptions={subscriptions} onClose={() => setEditing(false)} />
      ) : null}
    </>
  )
}

/** "Claude Max costs $100.00 per month: $112.40 less." */
export function compare(spentUsd: number, subscriptions: readonly Subscription[]): string {
  const flatUsd = subscriptions.reduce((sum, { monthlyUsd }) => sum + monthlyUsd, 0)
  const differenceUsd = Math.abs(spentUsd - flatUsd)
  const decimals = chooseUsdDecimals([flatUsd, differenceUsd])
  const flat = t`${formatUsd(flatUsd, decimals)} per month`
  const [first] = subscriptions
  const what =
    first && subscriptions.length === 1
      ? t`${first.name} costs ${flat}`
      : t`Your ${subscriptions.length} subscriptions cost ${flat}`
  const difference = formatUsd(differenceUsd, decimals)
  if (spentUsd > flatUsd) return t`${what}: ${difference} less.`
  return spentUsd === flatUsd ? t`${what}: as much.` : t`${what}: ${difference} more than the API so far.`
}
