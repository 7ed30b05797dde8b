// Usage by calendar period, or by key, model, provider or client, optionally split once more.

import { GIT_GROUPS } from '../../../shared/api/terms.ts'
import type { USAGE_GROUPS } from '../../../shared/api/usage.ts'
import { type NanoUsd, nanoUsd } from '../../../shared/money/money.ts'
import * as calendar from '../../../shared/values/calendar.ts'
import { formatTime } from '../../platform/clock.ts'
import { listParts } from '../part.ts'
import type { Db } from '../sql/statement.ts'
import { findInPlace, type PlaceFilter, sumByGit } from '../sums/git-usage.ts'
import { addMeasures, findSlot15m, findUsedSlot15m, type Measures } from '../sums/rollup-columns.ts'
import {
  END_OF_TIME,
  type Sum,
  type SumOptions,
  sumRange,
  type UsageSource,
  type UsageSplit,
  type UsageValues,
} from '../sums/rollup-query.ts'
import { addEncodedTimings } from '../sums/timings.ts'

type UsageGroup = (typeof USAGE_GROUPS)[number]

export interface UsageFilter {
  /** Inclusive; absent is the beginning. */
  from?: number
  /** Exclusive; absent is the end. */
  to?: number
  groupBy: UsageGroup
  /** Splits every group once more. */
  splitBy?: UsageSplit
  /** An IANA time zone; decides where hours, days, weeks and months begin. */
  timeZone: string
  /** Only requests with these values. */
  where?: UsageValues
  /** Only requests made in this place. */
  place?: PlaceFilter
  /** Adds histograms of the durations. */
  timings?: boolean
  /** The source of a feature, instead of requests. It has no places. */
  source?: string
}

export interface UsageSum extends Omit<Measures, 'costNano'> {
  /**
   * The start of an hour in UTC (ISO 8601); the first day (YYYY-MM-DD) of a day, week or month; else a key id, model,
   * provider ('' where none was reached), client ('' where it gave no name), tag, session, branch or commit ('' for none).
   */
  group: string
  /** The part of the group; only with `splitBy`. */
  split?: string
  costNano: NanoUsd
  /** Histograms of the durations, as `sumTimings` takes them. */
  timings?: Uint8Array | null
}

type GitGroup = (typeof GIT_GROUPS)[number]
type Period = Exclude<UsageGroup, UsageSplit | GitGroup>

const PERIODS: Record<Period, (instant: number, zone: string) => calendar.Span> = {
  hour: calendar.hourSpan,
  day: calendar.daySpan,
  week: calendar.weekSpan,
  month: calendar.monthSpan,
}

const requests: UsageSource = {
  next: (db, from) => findUsedSlot15m(db, findSlot15m(from)),
  sum: sumRange,
}

function findSource(name: string): UsageSource {
  const sources = listParts().map(({ usage }) => usage?.[name])
  const source = sources.find((each) => each !== undefined)
  if (!source) throw new Error(`no feature has the usage of ${name}`)
  return source
}

/**
 * Sums of settled requests made in the range: periods in order, other groups by cost, and inside a group its parts by
 * cost, largest first.
 */
export function usage(db: Db, filter: UsageFilter): UsageSum[] {
  const { groupBy, splitBy = null, timeZone, where, place, timings } = filter
  const source = filter.source === undefined ? requests : findSource(filter.source)
  const from = Math.max(filter.from ?? 0, 0)
  const to = Math.min(filter.to ?? END_OF_TIME, END_OF_TIME)
  // One transaction, so that a charge cannot fall between the parts.
  return db.transaction(() => {
    if (source !== requests && (place || isGitGroup(groupBy))) return []
    if (isGitGroup(groupBy))
      return sortByCost(sumByGit(db, { groupBy, place, where }, { from, to })).map((sum) =>
        toUsageSum(sum, null),
      )
    const within = place === undefined ? undefined : findInPlace(db, place, { from, to })
    const options = { split: splitBy, where, within, timings }
    if (isPeriod(groupBy))
      return sumByPeriod(db, source, { groupBy, timeZone, from, to }, { ...options, group: null })
    return sortByCost(mergeSums(source.sum(db, { ...options, group: groupBy }, from, to))).map((sum) =>
      toUsageSum(sum, splitBy),
    )
  })()
}

function isPeriod(group: UsageGroup): group is Period {
  return Object.hasOwn(PERIODS, group)
}

function isGitGroup(group: UsageGroup): group is GitGroup {
  return GIT_GROUPS.some((each) => each === group)
}

/** Skips from one period with requests to the next, so that long pauses cost nothing. */
function sumByPeriod(
  db: Db,
  source: UsageSource,
  range: { groupBy: Period; timeZone: string; from: number; to: number },
  options: SumOptions,
): UsageSum[] {
  const { timeZone, to } = range
  const sums: UsageSum[] = []
  let from = range.from
  while (from < to) {
    const first = Math.max(source.next(db, from) ?? to, from)
    if (first >= to) break
    const period = PERIODS[range.groupBy](first, timeZone)
    const end = Math.min(period.end, to)
    const group =
      range.groupBy === 'hour' ? formatTime(period.start) : calendar.dayName(period.start, timeZone)
    const found = mergeSums(source.sum(db, options, Math.max(period.start, from), end))
    sums.push(...sortByCost(found).map((sum) => toUsageSum({ ...sum, group }, options.split)))
    from = end
  }
  return sums
}

/** Merges the sums of the same group and part. */
function mergeSums(sums: Sum[]): Sum[] {
  const merged = new Map<string, Sum>()
  for (const sum of sums) {
    const name = `${sum.group}\n${sum.split}`
    const known = merged.get(name)
    if (!known) {
      merged.set(name, sum)
      continue
    }
    addMeasures(known, sum)
    if (sum.timings) known.timings = addEncodedTimings(known.timings, sum.timings)
  }
  return [...merged.values()]
}

/** Orders groups by the cost of all their parts, so that the parts of a group stay together. */
function sortByCost(sums: Sum[]): Sum[] {
  const costs = new Map<string, number>()
  for (const { group, costNano } of sums) costs.set(group, (costs.get(group) ?? 0) + costNano)
  const computeCost = (group: string) => costs.get(group) ?? 0
  return sums.sort(
    (a, b) =>
      computeCost(b.group) - computeCost(a.group) ||
      compare(a.group, b.group) ||
      b.costNano - a.costNano ||
      compare(a.split, b.split),
  )
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

function toUsageSum({ split, costNano, ...sum }: Sum, splitBy: UsageSplit | null): UsageSum {
  return { ...sum, ...(splitBy ? { split } : {}), costNano: nanoUsd(costNano) }
}
