import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { KeyMetadata } from '../../../shared/keys.ts'
import { cn } from '../../components/cn.ts'
import { formatRemaining, GaugeBar } from '../../components/gauge.tsx'
import { SkeletonRows } from '../../components/notice.tsx'
import { CardHeader } from '../../components/page.tsx'
import { useNow } from '../../components/relative-time.tsx'
import { formatDay } from '../../format.ts'
import { RaiseCap } from '../../limits/raise-limit.tsx'
import { useTimeZone } from '../../server-state/hooks.ts'
import { queries } from '../../server-state/queries.ts'
import { project, type SpendRate } from './projection.ts'

const MOST = 4

export function Caps() {
  const { data: keys, isPending, isLoadingError } = useQuery(queries.keys)
  const capped = (keys ?? [])
    .filter((key) => key.revokedAt === null && key.spendLimitUsd !== null)
    .toSorted((a, b) => spentShare(b) - spentShare(a))
  return (
    <>
      <CardHeader title="Caps">
        <Link href="/keys" className="hover:text-ink hover:underline">
          {capped.length > MOST ? `all ${capped.length}` : 'Open Keys'}
        </Link>
      </CardHeader>
      {isPending ? <SkeletonRows rows={2} /> : null}
      {keys && capped.length === 0 ? (
        <p className="px-4 pt-1 pb-5 text-ink-3">
          No key has a cap. A cap is a hard limit on what a key can ever spend.
        </p>
      ) : null}
      {isLoadingError ? <p className="px-4 pt-1 pb-5 text-ink-3">Keys could not be loaded.</p> : null}
      {capped.length > 0 ? (
        <ul className="flex flex-col gap-4 px-4 pt-1 pb-4 max-xl:[&>li:nth-child(n+4)]:hidden">
          {capped.slice(0, MOST).map((key) => (
            <Cap key={key.id} record={key} limitUsd={key.spendLimitUsd ?? 0} />
          ))}
        </ul>
      ) : null}
    </>
  )
}

function Cap({ record, limitUsd }: { record: KeyMetadata; limitUsd: number }) {
  const { data: usage } = useQuery(queries.usage)
  const now = useNow()
  const { name, spendUsd, reservedUsd, createdAt } = record
  return (
    <li>
      <p className="flex items-baseline gap-3">
        <span className="min-w-0 flex-1 truncate" title={name}>
          {name}
        </span>
        <span
          className={cn('shrink-0 text-sm', spendUsd >= limitUsd ? 'font-medium text-bad' : 'text-ink-2')}
        >
          {formatRemaining(spendUsd, limitUsd)}
        </span>
      </p>
      <div className="mt-1.5">
        <GaugeBar
          label={`Spend of ${name}`}
          spentUsd={spendUsd}
          reservedUsd={reservedUsd}
          limitUsd={limitUsd}
        />
      </div>
      <div className="mt-1.5 flex min-h-4 items-baseline gap-3 text-xs">
        <p className="min-w-0 flex-1 text-ink-3 md:truncate">
          {usage ? (
            <ProjectionLabel
              spentUsd={spendUsd}
              limitUsd={limitUsd}
              recentUsd={usage.recentUsdByKey.get(record.id) ?? 0}
              sinceMs={Math.max(usage.recentFromMs, Date.parse(createdAt))}
              nowMs={now}
            />
          ) : null}
        </p>
        <RaiseCap record={record} asLink />
      </div>
    </li>
  )
}

/** 1 for a key that has spent its cap, or whose cap is zero. */
function spentShare({ spendUsd, spendLimitUsd }: KeyMetadata): number {
  return spendLimitUsd ? spendUsd / spendLimitUsd : 1
}

/** The day on which a cap is reached, or why no day is named. */
function ProjectionLabel(rate: SpendRate) {
  const timeZone = useTimeZone()
  const projection = project(rate)
  switch (projection.state) {
    case 'reached':
      return 'Requests are rejected until it is raised.'
    case 'no-spend':
      return 'Nothing spent in the last 7 days.'
    case 'far':
      return 'Lasts over a year at the rate of the last 7 days.'
    case 'reached-at': {
      const day = formatDay(new Date(projection.atMs).toISOString(), rate.nowMs, timeZone)
      return `Reached about ${day} at the rate of the last 7 days.`
    }
    default:
      projection satisfies never
      return null
  }
}
