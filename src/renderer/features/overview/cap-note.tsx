import { useQuery } from '@tanstack/react-query'
import type { KeyMetadata } from '../../../shared/api/keys.ts'
import { isMainLimit, isUsedUp, type Limit } from '../../../shared/limits/limits.ts'
import { lowerLabel } from '../../../shared/values/locale.ts'
import { useTimeZone } from '../../data/hooks.ts'
import { queries } from '../../data/queries.ts'
import { formatDay } from '../../kit/format.ts'
import { useNow } from '../../kit/use-now.ts'
import { describeReset, getPeriod } from '../../parts/limits/limit-text.ts'
import { project, type SpendRate } from './projection.ts'

interface CapNoteProps {
  limit: Limit
  /** The key whose limit it is; null for the account. */
  record: KeyMetadata | null
}

/** When a limit resets or is reached, and whether it only warns or asks. */
export function CapNote({ limit, record }: CapNoteProps) {
  const { data: usage } = useQuery(queries.usage)
  const now = useNow()
  const zone = useTimeZone()
  if (record !== null && isMainLimit(limit)) {
    return usage ? (
      <CapProjection
        spentUsd={limit.spentUsd}
        limitUsd={limit.limitUsd}
        recentUsd={usage.recentUsdByKey.get(record.id) ?? 0}
        sinceMs={Math.max(usage.recentFromMs, Date.parse(record.createdAt))}
        nowMs={now}
      />
    ) : null
  }
  const reset = describeReset(limit, now, zone)
  if (isUsedUp(limit) && limit.asks) return 'Requests stop until you allow more.'
  if (isUsedUp(limit)) return `Requests are rejected until ${reset === '' ? getEnd(limit) : `it ${reset}`}.`
  const when = reset === '' ? describeHint(limit) : reset
  return limit.warnsOnly ? `Only warns, ${when}.` : `${when.charAt(0).toUpperCase()}${when.slice(1)}.`
}

/** The event that ends the rejections of a limit that never resets at a known moment. */
function getEnd({ kind }: Limit): string {
  if (kind.per === 'session') return 'the next session'
  if (kind.per === 'subagent') return 'the next sub-agent'
  return kind.window === 'rolling' ? 'older spend no longer counts' : 'it is raised'
}

function describeHint({ kind }: Limit): string {
  if (kind.per === 'session') return 'in the session used last'
  if (kind.per === 'subagent') return 'in the sub-agent used last'
  return lowerLabel(getPeriod(kind).hint)
}

/** The day on which a cap is reached, or why no day is named. */
function CapProjection(rate: SpendRate) {
  const timeZone = useTimeZone()
  const projection = project(rate)
  switch (projection.state) {
    case 'reached':
      return 'Requests are rejected until it is raised.'
    case 'no-spend':
      return 'Nothing spent in the last 7 days.'
    case 'far':
      return 'Lasts over a year at the rate of the last 7 days.'
    case 'lasts':
      return `Lasts about ${projection.months} months at the rate of the last 7 days.`
    case 'reached-at': {
      const day = formatDay(new Date(projection.atMs).toISOString(), rate.nowMs, timeZone)
      return `Reached about ${day} at the 7-day rate.`
    }
    default:
      projection satisfies never
      return null
  }
}
