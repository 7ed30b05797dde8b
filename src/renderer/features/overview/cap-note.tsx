import { useQuery } from '@tanstack/react-query'
import type { KeyMetadata } from '../../../shared/api/keys.ts'
import { isMainLimit, isUsedUp, type Limit } from '../../../shared/limits/limits.ts'
import { lowerLabel } from '../../../shared/values/locale.ts'
import { useTimeZone } from '../../data/hooks.ts'
import { queries } from '../../data/queries.ts'
import { formatDay } from '../../kit/format.ts'
import { useNow } from '../../kit/use-now.ts'
import { describeReset, getPeriod } from '../../parts/limits/limit-text.ts'

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

// When a limit is reached, and what a month will cost, if spending continues at its present rate.
type Projection =
  | { state: 'reached' }
  /** Nothing was spent in the last days. */
  | { state: 'no-spend' }
  | { state: 'reached-at'; atMs: number }
  /** Too far away for a day: a week says little about it. */
  | { state: 'lasts'; months: number }
  /** More than a year away. */
  | { state: 'far' }

const DAY_MS = 86_400_000
const FAR_DAYS = 365
const NEAR_DAYS = 90
const MONTH_DAYS = FAR_DAYS / 12

interface SpendRate {
  spentUsd: number
  limitUsd: number
  /** The spend since `sinceMs`. */
  recentUsd: number
  /** The start of the last seven days, or when the key was created if that is later. */
  sinceMs: number
  nowMs: number
}

/** When a limit is reached if spending continues at the same rate. */
export function project({ spentUsd, limitUsd, recentUsd, sinceMs, nowMs }: SpendRate): Projection {
  if (spentUsd >= limitUsd) return { state: 'reached' }
  if (recentUsd <= 0) return { state: 'no-spend' }
  const days = Math.max(1, (nowMs - sinceMs) / DAY_MS)
  const daysLeft = ((limitUsd - spentUsd) / recentUsd) * days
  if (daysLeft > FAR_DAYS) return { state: 'far' }
  if (daysLeft > NEAR_DAYS) return { state: 'lasts', months: Math.floor(daysLeft / MONTH_DAYS) }
  return { state: 'reached-at', atMs: nowMs + daysLeft * DAY_MS }
}

/** The spend by the end of a month if spending continues at the rate of the last days. */
export function forecast({
  spentUsd,
  recentUsd,
  sinceMs,
  nowMs,
  endMs,
}: Omit<SpendRate, 'limitUsd'> & { endMs: number }) {
  const days = Math.max(1, (nowMs - sinceMs) / DAY_MS)
  return spentUsd + (recentUsd / days) * Math.max(0, (endMs - nowMs) / DAY_MS)
}
