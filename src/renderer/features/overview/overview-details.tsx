import { useQuery } from '@tanstack/react-query'
import { CirclePause } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Account } from '../../../shared/api/account.ts'
import type { KeyMetadata } from '../../../shared/api/keys.ts'
import type { UsageRow } from '../../../shared/api/usage.ts'
import {
  byNearness,
  describeScope,
  headlineLimit,
  type Limit,
  limitsOfAccount,
  limitsOfKey,
  nearestLimit,
} from '../../../shared/limits/limits.ts'
import { lowerLabel } from '../../../shared/values/locale.ts'
import { type DateRange, formatRange, LAST_30_DAYS, useDateRange } from '../../data/date-range.ts'
import { queries } from '../../data/queries.ts'
import { requestsHref, usageHref } from '../../data/request-link.ts'
import type { Usage } from '../../data/usage.ts'
import { useUsageLabel } from '../../data/usage-label.ts'
import { cn } from '../../kit/cn.ts'
import { chooseUsdDecimals, formatCount, formatQuantity, isolate, quoteName } from '../../kit/format.ts'
import { formatRemaining, GaugeBar, reachedText } from '../../kit/gauge.tsx'
import { Money } from '../../kit/money.tsx'
import { Skeleton, SkeletonRows } from '../../kit/notice.tsx'
import { Card, CardHeader } from '../../kit/page.tsx'
import { useSubmit } from '../../kit/use-submit.ts'
import { RelativeTime } from '../../parts/controls/relative-time.tsx'
import { CapNote } from './cap-note.tsx'
import { helpHint, limitButton, plansCard } from './later-parts.tsx'
import { type OverviewRange, useOverviewRange, useOverviewUsage } from './overview-range.ts'
import { UsageChartCard } from './usage-chart-card.tsx'

/** The parts that depend on the chosen range, and the caps. */
export function OverviewDetails({ account }: { account: Account | null }) {
  const [range, setRange] = useDateRange(LAST_30_DAYS)
  const scope = useOverviewRange(range)
  const usage = useOverviewUsage(scope)
  return (
    <div className="grid grid-cols-1 gap-4 sm:grid-cols-2 xl:grid-cols-3" aria-busy={usage.stale}>
      <Card className="flex min-w-0 flex-col sm:col-span-2">
        <UsageChartCard scope={scope} usage={usage.data} error={usage.error} onRange={setRange} />
      </Card>
      <Card>
        <Caps account={account} />
      </Card>
      <plansCard.View />
      <TopLists scope={scope} usage={usage.data} failed={usage.error !== null} />
    </div>
  )
}

const MAX_KEYS = 4

interface Row {
  limit: Limit
  /** Null for a limit of the account. */
  record: KeyMetadata | null
}

/** The nearest limit of each key, and those of the account that have no card of their own: the nearest first. */
function Caps({ account }: { account: Account | null }) {
  const { data: keys, isPending, isLoadingError } = useQuery(queries.keys)
  const paused = (keys ?? []).filter(({ pausedAt, revokedAt }) => pausedAt !== null && revokedAt === null)
  const rows = keys ? listRows(keys, account) : []
  return (
    <>
      <CardHeader title="Caps" hint={<helpHint.View of="reserved" />}>
        <Link href="/keys" className="target hover:text-ink hover:underline">
          {rows.length > MAX_KEYS ? `all ${rows.length}` : 'Open Keys'}
        </Link>
      </CardHeader>
      {isPending ? <SkeletonRows rows={2} /> : null}
      {paused.length > 0 ? (
        <ul aria-label="Paused keys" className="flex flex-col gap-2 px-4 pt-1 pb-3">
          {paused.slice(0, MAX_KEYS).map((record) => (
            <PausedKeyRow key={record.id} record={record} />
          ))}
        </ul>
      ) : null}
      {keys && rows.length === 0 ? (
        <p className="px-4 pt-1 pb-5 text-ink-3">
          No key has a cap. Requests of a key stop once its cap is spent. A key can also have limits per day
          or per session.
        </p>
      ) : null}
      {isLoadingError ? <p className="px-4 pt-1 pb-5 text-ink-3">Keys could not be loaded.</p> : null}
      {rows.length > 0 ? (
        <ul className="flex flex-col gap-4 px-4 pt-1 pb-4 max-xl:[&>li:nth-child(n+4)]:hidden">
          {rows.slice(0, MAX_KEYS).map((row) => (
            <Cap key={row.record?.id ?? `account ${row.limit.index}`} {...row} />
          ))}
        </ul>
      ) : null}
    </>
  )
}

function listRows(keys: readonly KeyMetadata[], account: Account | null): Row[] {
  const ofKeys = keys.flatMap((record): Row[] => {
    const limit = record.revokedAt === null ? nearestLimit(limitsOfKey(record)) : null
    return limit === null ? [] : [{ limit, record }]
  })
  const onCard = account && headlineLimit(account)
  const others = account ? limitsOfAccount(account).filter(({ index }) => index !== onCard?.index) : []
  return [...ofKeys, ...others.map((limit) => ({ limit, record: null }))].toSorted((a, b) =>
    byNearness(a.limit, b.limit),
  )
}

function Cap({ limit, record }: Row) {
  const { kind, spentUsd, reservedUsd, limitUsd, warnsOnly } = limit
  const name = record?.name ?? 'All keys'
  const after = describeScope(limit)
  const remaining = formatRemaining(spentUsd, limitUsd, after)
  return (
    <li>
      <p className="flex flex-wrap items-baseline gap-x-3">
        <span className="max-w-full truncate" title={name}>
          <bdi>{name}</bdi>
        </span>
        <span
          title={remaining}
          className={cn(
            'ml-auto max-w-full truncate text-sm',
            spentUsd >= limitUsd ? reachedText(warnsOnly) : 'text-ink-2',
          )}
        >
          {remaining}
        </span>
      </p>
      <div className="mt-1.5">
        <GaugeBar
          label={`Spend of ${isolate(name)}`}
          spentUsd={spentUsd}
          reservedUsd={reservedUsd}
          limitUsd={limitUsd}
          warnsOnly={warnsOnly}
          after={after}
        />
      </div>
      <div className="mt-1.5 flex min-h-4 items-baseline gap-3 text-xs">
        <p className="min-w-0 flex-1 text-ink-3 md:truncate">
          <CapNote limit={limit} record={record} />
        </p>
        <limitButton.View keyId={record?.id ?? null} kind={kind} asLink />
      </div>
    </li>
  )
}

/** A paused key in a list: since when, why, and the way on. Its name leads to the key. */
function PausedKeyRow({ record: { id, name, pausedAt, pauseReason } }: { record: KeyMetadata }) {
  const { pending, error, submit } = useSubmit()
  if (pausedAt === null) return null
  const resume = () =>
    submit(async () => {
      const [{ resumeKey }, { toast }] = await Promise.all([
        import('../../data/mutations.ts'),
        import('sonner'),
      ])
      await resumeKey(id)
      toast.success(`${quoteName(name)} works again.`)
    })
  return (
    <li className="flex items-start gap-2 rounded-md bg-warn-soft px-2.5 py-1.5 text-sm text-warn">
      <CirclePause size={14} aria-hidden className="mt-0.5 shrink-0" />
      <div className="min-w-0 flex-1">
        <p className="truncate">
          <Link href={`/keys?edit=${id}`} className="target font-medium hover:underline">
            <bdi>{name}</bdi>
          </Link>{' '}
          · paused <RelativeTime iso={pausedAt} />
        </p>
        <p className="line-clamp-2" title={pauseReason ?? undefined}>
          {error?.message ?? pauseReason ?? 'No request with this key is sent to a model.'}
        </p>
      </div>
      <button
        type="button"
        aria-label={`Resume ${quoteName(name)}`}
        disabled={pending}
        onClick={() => void resume()}
        className="target shrink-0 rounded-sm font-medium hover:underline disabled:opacity-50"
      >
        Resume
      </button>
    </li>
  )
}

const MAX_ROWS = 5

interface Ranking {
  title: string
  none: string
  by: 'model' | 'key' | 'client'
  of: 'models' | 'keys' | 'clients'
}

const rankings: readonly Ranking[] = [
  { title: 'Top models', none: 'No model was used in this period.', by: 'model', of: 'models' },
  { title: 'Top keys', none: 'No key was used in this period.', by: 'key', of: 'keys' },
  { title: 'Top tools', none: 'No tool sent a request in this period.', by: 'client', of: 'clients' },
]

interface TopListsProps {
  scope: OverviewRange
  usage: Usage | undefined
  failed: boolean
}

function TopLists({ scope, usage, failed }: TopListsProps) {
  const { range, zone } = scope
  const name = formatRange(range, Date.now(), zone)
  return rankings.map((ranking) => (
    <Card key={ranking.by}>
      <CardHeader
        title={
          <Link
            href={usageHref(ranking.by, range)}
            title="Show all in Usage"
            className="target hover:underline"
          >
            {ranking.title}
          </Link>
        }
      >
        {'preset' in range ? lowerLabel(name) : name}
      </CardHeader>
      <TopList ranking={ranking} rows={usage?.[ranking.of]} range={range} failed={failed} />
    </Card>
  ))
}

interface TopListProps {
  ranking: Ranking
  /** Undefined while they are read. */
  rows: readonly UsageRow[] | undefined
  range: DateRange
  failed: boolean
}

function TopList({ ranking: { by, none }, rows, range, failed }: TopListProps) {
  const getLabel = useUsageLabel(by)
  if (failed || rows?.length === 0) {
    return <p className="min-h-20 px-4 pt-1 pb-5 text-ink-3">{failed ? 'Could not be loaded.' : none}</p>
  }
  if (rows === undefined) {
    return (
      <div className="flex min-h-20 flex-col gap-3 px-4 pt-2 pb-5">
        <Skeleton className="h-5" />
        <Skeleton className="h-5" />
      </div>
    )
  }
  const most = Math.max(...rows.map(({ costUsd }) => costUsd), Number.MIN_VALUE)
  const shown = rows.slice(0, MAX_ROWS)
  const decimals = chooseUsdDecimals(shown.map(({ costUsd }) => costUsd))
  return (
    <ol className="px-2 pb-2">
      {shown.map((row) => (
        <li key={row.group}>
          <Line href={requestsHref({ [by]: row.group }, range)}>
            <span className="flex items-baseline gap-3">
              <span className="min-w-0 flex-1 truncate" title={getLabel(row.group, row.label)}>
                <bdi>{getLabel(row.group, row.label)}</bdi>
              </span>
              <span className="shrink-0 text-ink-3 text-sm" title={describeCount(row)}>
                {formatCount(row.requests, true)}
                {row.unpriced > 0 ? `, ${formatCount(row.unpriced, true)} unpriced` : ''}
              </span>
              {row.unpriced === row.requests ? (
                <span className="min-w-16 shrink-0 text-right text-ink-3">unknown</span>
              ) : (
                <Money
                  usd={row.costUsd}
                  decimals={row.costUsd === 0 ? 2 : decimals}
                  className="min-w-16 shrink-0 text-right"
                />
              )}
            </span>
            <span aria-hidden className="mt-1 block h-0.5 rounded-full bg-line">
              <span
                className="block h-full rounded-full bg-accent"
                style={{ width: `${(row.costUsd / most) * 100}%` }}
              />
            </span>
          </Line>
        </li>
      ))}
    </ol>
  )
}

/** A sum that leaves out requests without a price says so. */
function describeCount({ requests, unpriced }: UsageRow): string {
  const count = formatQuantity(requests, 'request')
  return unpriced > 0 ? `${count}, ${formatCount(unpriced)} of them without a price` : count
}

function Line({ href, children }: { href: string | null; children: ReactNode }) {
  if (href === null) return <div className="px-2 py-1.5">{children}</div>
  return (
    <Link href={href} className="block rounded-md px-2 py-1.5 hover:bg-sunken">
      {children}
    </Link>
  )
}
