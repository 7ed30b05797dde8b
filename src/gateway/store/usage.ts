// Owns sums over time. Whole quarters of an hour come from the kept sums, the edges of a range from request rows.
// Rows that were pruned are in no edge: only bounds on a quarter of an hour are exact for pruned times, as those of
// days and months are in every time zone.
import { type NanoUsd, nanoUsd } from '../../shared/money.ts'
import type { UsageFilter, UsageGroup, UsageSum } from './calls.ts'
import { QUARTER_MS, quarterOf } from './charge.ts'
import { type Db, statement } from './statement.ts'

type Sums = Omit<UsageSum, 'group' | 'costNano'> & { cost: number }
type GroupRow = Sums & { grp: string | number }

/** The column of each grouping, in the kept sums and in the request rows. Days are made from quarters. */
const GROUPS: Record<UsageGroup, { kept: string; rows: string }> = {
  day: { kept: 'bucket', rows: `CAST(created_at AS INTEGER) / ${QUARTER_MS} * ${QUARTER_MS}` },
  key: { kept: 'key_id', rows: 'key_id' },
  model: { kept: 'model', rows: 'coalesce(model, requested_model)' },
  provider: { kept: 'provider', rows: "coalesce(provider, '')" },
}

const keptBy = forEachGroup(({ kept }) =>
  statement<[number, number], GroupRow>(`
    SELECT ${kept} AS grp, sum(requests) AS requests, sum(tokens_in) AS tokensIn, sum(tokens_out) AS tokensOut,
      sum(cost_nano) AS cost
    FROM rollups WHERE bucket >= ? AND bucket < ? GROUP BY grp ORDER BY grp`),
)
const edgeBy = forEachGroup(({ rows }) =>
  statement<[number, number], GroupRow>(`
    SELECT ${rows} AS grp, count(*) AS requests, sum(tokens_in) AS tokensIn, sum(tokens_out) AS tokensOut,
      coalesce(sum(cost_nano), 0) AS cost
    FROM requests INDEXED BY requests_by_time
    WHERE created_at >= ? AND created_at < ? AND status NOT IN ('running', 'refused') GROUP BY grp`),
)

function forEachGroup<T>(make: (columns: { kept: string; rows: string }) => T): Record<UsageGroup, T> {
  return {
    day: make(GROUPS.day),
    key: make(GROUPS.key),
    model: make(GROUPS.model),
    provider: make(GROUPS.provider),
  }
}

/** Sums of settled requests made in the range: days in order, other groups by cost, largest first. */
export function usage(db: Db, { from, to, groupBy, timeZone }: UsageFilter): UsageSum[] {
  const nameOf = groupBy === 'day' ? dayIn(timeZone) : String
  const sums = new Map<string, Sums>()
  for (const row of rowsBetween(db, groupBy, from ?? 0, to ?? Number.MAX_SAFE_INTEGER)) {
    const group = nameOf(row.grp)
    const sum = sums.get(group)
    if (!sum) {
      sums.set(group, row)
      continue
    }
    sum.requests += row.requests
    sum.tokensIn += row.tokensIn
    sum.tokensOut += row.tokensOut
    sum.cost += row.cost
  }
  const rows = [...sums].map(([group, { requests, tokensIn, tokensOut, cost }]) => ({
    group,
    requests,
    tokensIn,
    tokensOut,
    costNano: nanoUsd(cost),
  }))
  return rows.sort(
    groupBy === 'day'
      ? (a, b) => (a.group < b.group ? -1 : 1)
      : (a, b) => b.costNano - a.costNano || (a.group < b.group ? -1 : 1),
  )
}

/** What was spent on requests made at or after `from` and before `to`. */
export function spendBetween(db: Db, { from, to }: { from: number; to: number }): NanoUsd {
  let nano = 0
  for (const row of rowsBetween(db, 'key', from, to)) nano = nanoUsd(nano + row.cost)
  return nanoUsd(nano)
}

function rowsBetween(db: Db, groupBy: UsageGroup, from: number, to: number): GroupRow[] {
  const firstWhole = quarterOf(from + QUARTER_MS - 1)
  const endOfWhole = quarterOf(to)
  // One transaction, so that a charge cannot fall between the parts.
  return db.transaction(() => {
    if (endOfWhole <= firstWhole) return edgeBy[groupBy](db).all(from, Math.max(from, to))
    return [
      ...edgeBy[groupBy](db).all(from, firstWhole),
      ...keptBy[groupBy](db).all(firstWhole, endOfWhole),
      ...edgeBy[groupBy](db).all(endOfWhole, to),
    ]
  })()
}

/** Names the calendar day (YYYY-MM-DD) of a moment in a time zone. Throws a RangeError for a zone unknown to Intl. */
function dayIn(timeZone: string): (moment: number | string) => string {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })
  return (moment) => {
    const parts = format.formatToParts(Number(moment))
    const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((p) => p.type === type)?.value ?? ''
    return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`
  }
}
