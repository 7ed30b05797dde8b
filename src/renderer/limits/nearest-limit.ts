// Which limit of a key stops it next.
import type { KeyMetadata } from '../../shared/keys.ts'
import { type LimitKind, toKind } from './limit-text.ts'

export interface NearLimit {
  /** Null: the lifetime cap. */
  kind: LimitKind | null
  spentUsd: number
  reservedUsd: number
  limitUsd: number
}

/** The limit of which the largest part is used, among those that stop requests; null for none. */
export function nearestLimit(key: KeyMetadata): NearLimit | null {
  const cap: NearLimit[] =
    key.spendLimitUsd === null
      ? []
      : [
          {
            ...{ kind: null, spentUsd: key.spendUsd, reservedUsd: key.reservedUsd },
            limitUsd: key.spendLimitUsd,
          },
        ]
  const limits = key.spendLimits
    .filter(({ action }) => action !== 'warn')
    .map(({ usd, spentUsd, reservedUsd, ...limit }) => ({
      ...{ kind: toKind(limit), spentUsd, reservedUsd },
      limitUsd: usd,
    }))
  return [...cap, ...limits].reduce<NearLimit | null>(
    (nearest, one) => (nearest === null || usedPart(one) > usedPart(nearest) ? one : nearest),
    null,
  )
}

function usedPart({ spentUsd, limitUsd }: Pick<NearLimit, 'spentUsd' | 'limitUsd'>): number {
  return limitUsd === 0 ? Number.POSITIVE_INFINITY : spentUsd / limitUsd
}
