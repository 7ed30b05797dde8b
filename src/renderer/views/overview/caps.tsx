// Owns the card of keys with a cap, the nearest to it first.
import { Link } from 'wouter'
import type { KeyMetadata } from '../../../shared/keys.ts'
import { Gauge } from '../../components/gauge.tsx'
import { CardHead } from '../../components/page.tsx'
import { useKeys } from '../../stores/keys.ts'

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
          {capped.length > MOST ? `all ${capped.length}` : 'Keys'}
        </Link>
      </CardHead>
      {capped.length === 0 ? (
        <p className="px-4 pt-1 pb-5 text-ink-3">
          No key has a cap. A cap is the most a key can ever spend, and it holds.
        </p>
      ) : (
        <ul className="flex flex-col gap-3 px-4 pt-1 pb-4">
          {capped.slice(0, MOST).map((key) => (
            <li key={key.id}>
              <p className="truncate font-medium">{key.name}</p>
              <div className="text-ink-2 text-sm">
                <Gauge
                  label={`Spend of ${key.name}`}
                  spentUsd={key.spendUsd}
                  reservedUsd={key.reservedUsd}
                  limitUsd={key.spendLimitUsd}
                />
              </div>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

function used({ spendUsd, spendLimitUsd }: KeyMetadata): number {
  return spendLimitUsd ? spendUsd / spendLimitUsd : 1
}
