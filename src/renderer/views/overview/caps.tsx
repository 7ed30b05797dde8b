// Owns the card of keys with a cap, the nearest to it first, and when each is reached at the pace of late.
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { KeyMetadata } from '../../../shared/keys.ts'
import { cn } from '../../components/cn.ts'
import { formatRemaining, GaugeBar } from '../../components/gauge.tsx'
import { SkeletonRows } from '../../components/notice.tsx'
import { CardHeader } from '../../components/page.tsx'
import { useNow } from '../../components/relative-time.tsx'
import { queries } from '../../server-state/queries.ts'
import { ProjectionWords } from './projection-label.tsx'

const MOST = 4

export function Caps() {
  const { data: keys, isPending, isLoadingError } = useQuery(queries.keys)
  const capped = (keys ?? [])
    .filter((key) => key.revokedAt === null && key.spendLimitUsd !== null)
    .toSorted((a, b) => used(b) - used(a))
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
          No key has a cap. A cap is the most a key can ever spend, and it holds.
        </p>
      ) : null}
      {isLoadingError ? <p className="px-4 pt-1 pb-5 text-ink-3">The keys could not be loaded.</p> : null}
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
      <p className="mt-1.5 min-h-4 truncate text-ink-3 text-xs">
        {usage ? (
          <ProjectionWords
            spentUsd={spendUsd}
            limitUsd={limitUsd}
            lastDaysUsd={usage.recentUsdByKey.get(record.id) ?? 0}
            sinceMs={Math.max(usage.recentFromMs, Date.parse(createdAt))}
            nowMs={now}
          />
        ) : null}
      </p>
    </li>
  )
}

function used({ spendUsd, spendLimitUsd }: KeyMetadata): number {
  return spendLimitUsd ? spendUsd / spendLimitUsd : 1
}
