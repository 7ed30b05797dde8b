// Owns the card of keys with a cap, the nearest to it first, and when each is reached at the pace of late.
import { Link } from 'wouter'
import type { KeyMetadata } from '../../../shared/keys.ts'
import { Gauge } from '../../components/gauge.tsx'
import { CardHead } from '../../components/page.tsx'
import { useNow } from '../../components/when.tsx'
import { useKeys } from '../../stores/keys.ts'
import { useUsage } from '../../stores/usage.ts'
import { ProjectionWords } from './projection-words.tsx'

const MOST = 4

export function Caps() {
  const keys = useKeys((store) => store.keys)
  const capped = keys
    .filter((key) => key.revokedAt === null && key.spendLimitUsd !== null)
    .toSorted((a, b) => used(b) - used(a))
  return (
    <>
      <CardHead title="Caps">
        <Link href="/keys" className="hover:text-ink hover:underline">
          {capped.length > MOST ? `all ${capped.length}` : 'Open Keys'}
        </Link>
      </CardHead>
      {capped.length === 0 ? (
        <p className="px-4 pt-1 pb-5 text-ink-3">
          No key has a cap. A cap is the most a key can ever spend, and it holds.
        </p>
      ) : (
        <ul className="flex flex-col gap-4 px-4 pt-1 pb-4">
          {capped.slice(0, MOST).map((key) => (
            <Cap key={key.id} record={key} />
          ))}
        </ul>
      )}
    </>
  )
}

function Cap({ record }: { record: KeyMetadata }) {
  const lately = useUsage((store) => store.lately.get(record.id) ?? 0)
  const known = useUsage((store) => store.state === 'ready')
  const now = useNow()
  return (
    <li>
      <p className="truncate font-medium">{record.name}</p>
      <div className="text-ink-2 text-sm">
        <Gauge
          label={`Spend of ${record.name}`}
          spentUsd={record.spendUsd}
          reservedUsd={record.reservedUsd}
          limitUsd={record.spendLimitUsd}
        />
      </div>
      <p className="mt-1 min-h-4 truncate text-ink-3 text-xs">
        {known ? (
          <ProjectionWords
            spentUsd={record.spendUsd}
            limitUsd={record.spendLimitUsd ?? 0}
            lastDaysUsd={lately}
            sinceMs={Date.parse(record.createdAt)}
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
