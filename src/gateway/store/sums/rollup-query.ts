// Sums over a range of time: whole days and whole 15-minute slots come from the rollups, the rest at the edges from
// request rows. The rows of old requests may be pruned: for those times only ranges of whole slots are exact, which days,
// weeks and months are in every time zone. A long range takes thousands of rows instead of a million.
import { USAGE_SPLITS } from '../../../shared/api/terms.ts'
import { type Condition, type Db, joinConditions, type SqlValue, statement } from '../sql/statement.ts'
import * as rollup from './rollup-columns.ts'

export type UsageSplit = (typeof USAGE_SPLITS)[number]

/** The dimensions that sums are grouped by; null for none. */
interface Grouping {
  group: UsageSplit | null
  split: UsageSplit | null
}

/** `client` is the program's name. */
export type UsageValues = Partial<Record<UsageSplit, string>>

export interface SumOptions extends Grouping {
  /** Only requests with these values. */
  where?: UsageValues | undefined
  /** Only requests in these stretches. */
  within?: Stretches | undefined
  /** Adds histograms of the durations. */
  timings?: boolean | undefined
}

/** Parts of sessions, which do not overlap. */
export interface Stretches {
  /** JSON: an array of the number of a session, the first instant, the instant after the last one, and a name. */
  json: string
  /** Whether the sums are grouped by the names, instead of `group`. */
  isGrouped: boolean
}

export interface Sum extends rollup.Measures {
  /** A key id, model, provider, client, tag or session id; '' where the grouping has none. */
  group: string
  split: string
  /** Histograms of the durations, as `sumTimings` takes them. */
  timings?: Uint8Array | null
}

/** Without what the grouping has not. */
type StoredSum = Omit<Sum, 'group' | 'split'> & Partial<Record<'group' | 'split', string>>

/** The rows that usage is summed from. */
export interface UsageSource {
  /** When the first 15 minutes since `from` begin that have any, or later; null for none. */
  next(db: Db, from: number): number | null
  sum: typeof sumRange
}

interface RangePart {
  from: number
  to: number
  /** Null for request rows. */
  table: rollup.RollupTable | null
}

/** Later than any request, and within the range of every calendar. */
export const END_OF_TIME = Date.UTC(9999, 11, 31)

/** The SQL of each dimension in the request rows, and its column in the rollups; '' for none. */
const ROW_SQL: Record<UsageSplit, string> = {
  key: 'key_id',
  model: 'coalesce(model, requested_model)',
  provider: "ifnull(provider, '')",
  client: 'client_name',
  tag: "ifnull(tag, '')",
  session: "ifnull((SELECT id FROM sessions WHERE nr = requests.session), '')",
}
const ROLLUP_SQL: Record<UsageSplit, string> = {
  key: 'key_id',
  model: 'model',
  provider: 'provider',
  client: 'client',
  tag: 'tag',
  // Sessions are in none: they are counted from the rows, or have sums of their own.
  session: "''",
}

const OF_SESSION = 'requests.session = (SELECT nr FROM sessions WHERE id = ?)'

/**
 * Sums of the settled requests made at or after `from` and before `to`, without sample costs. A group may come in several
 * rows.
 */
export function sumRange(db: Db, options: SumOptions, from: number, to: number): Sum[] {
  if (isOfWholeSessions(options)) return sumSessions(db, options, from, to)
  const parts = needsRows(options)
    ? nonEmpty([{ table: null, from, to }])
    : splitRange(from, to, rollup.rollupTimeZone(db))
  return parts.flatMap((part) => sumPart(db, options, part))
}

/** Whether the sums that each session has are enough. */
function isOfWholeSessions({ group, split, where = {}, within, timings }: SumOptions): boolean {
  const isOnlyByKey = listValues(where).every(([dimension]) => dimension === 'key')
  return group === 'session' && split === null && !within && !timings && isOnlyByKey
}

function needsRows({ group, split, where, within }: SumOptions): boolean {
  return within !== undefined || group === 'session' || split === 'session' || where?.session !== undefined
}

const IN_STRETCHES = `
  (SELECT value ->> 0 AS session, value ->> 1 AS since, value ->> 2 AS until, value ->> 3 AS name FROM json_each(?))
    AS stretches
  CROSS JOIN requests ON requests.session = stretches.session AND created_at >= since AND created_at < until`

/** `more`: further conditions. */
function sumPart(
  db: Db,
  { group, split, where, within, timings }: SumOptions,
  { table, from, to }: RangePart,
  more: readonly Condition[] = [],
): Sum[] {
  const isOfRows = table === null
  const sql = isOfRows ? ROW_SQL : ROLLUP_SQL
  const sums = rollup.MEASURE_NAMES.map((name) => [
    name,
    isOfRows ? rollup.MEASURES[name].ofRows : rollup.sumOfSums(name),
  ])
  return readSums<StoredSum>(db, {
    source: table ?? (within ? IN_STRETCHES : 'requests'),
    sourceValues: within ? [within.json] : [],
    time: isOfRows ? 'created_at' : 'bucket',
    from,
    to,
    where: [
      ...(isOfRows ? [{ sql: rollup.IS_SETTLED, values: [] }] : []),
      ...more,
      ...listValues(where).map(([dimension, value]) => ({
        sql: dimension === 'session' ? OF_SESSION : `${sql[dimension]} = ?`,
        values: [value],
      })),
    ],
    by: {
      ...(group && { group: sql[group] }),
      ...(split && { split: sql[split] }),
      ...(within?.isGrouped && { group: 'stretches.name' }),
    },
    sums: {
      ...Object.fromEntries(sums),
      ...(timings && { timings: isOfRows ? rollup.TIMINGS_OF_ROWS : 'sum_timings(timings)' }),
    },
  }).map((sum) => ({ group: '', split: '', ...sum }))
}

/** Splits the range into the widest parts that fit: rows, slots, days, slots, rows. */
function splitRange(from: number, to: number, zone: string): RangePart[] {
  const firstSlot = rollup.slot15mFrom(from)
  const endSlot = rollup.findSlot15m(to)
  if (endSlot <= firstSlot) return nonEmpty([{ table: null, from, to }])
  const day = rollup.rollupDay(firstSlot, zone)
  const firstDay = day.start === firstSlot ? firstSlot : day.end
  const endDay = rollup.rollupDay(endSlot, zone).start
  const whole: RangePart[] =
    endDay <= firstDay
      ? [{ table: 'rollups', from: firstSlot, to: endSlot }]
      : [
          { table: 'rollups', from: firstSlot, to: firstDay },
          { table: 'day_sums', from: firstDay, to: endDay },
          { table: 'rollups', from: endDay, to: endSlot },
        ]
  return nonEmpty([{ table: null, from, to: firstSlot }, ...whole, { table: null, from: endSlot, to }])
}

function nonEmpty(parts: RangePart[]): RangePart[] {
  return parts.filter((part) => part.from < part.to)
}

interface SumsQuery {
  /** A table of sums, or another with the column `time`. */
  source: string
  /** The values of its places. */
  sourceValues?: readonly SqlValue[]
  time?: string
  /** The SQL of what sums are grouped by, under the name that it has in the result. */
  by: Readonly<Record<string, string>>
  /** The SQL of what is added up. */
  sums?: Readonly<Record<string, string>>
  /** Only times at or after `from` and before `to`. */
  from?: number
  to?: number
  where?: readonly Condition[]
}

/** The sums of each group that has any, in the order of the groups. Without groups there is one sum, or none of no rows. */
export function readSums<Row>(db: Db, query: SumsQuery): Row[] {
  const { source, time = 'bucket', by, sums = {}, from = 0, to = END_OF_TIME } = query
  const columns = Object.entries({ ...by, ...sums }).map(([name, sql]) => `${sql} AS "${name}"`)
  const groups = Object.keys(by).map((_, index) => index + 1)
  const { where, values } = joinConditions([
    { sql: `${time} >= ? AND ${time} < ?`, values: [from, to] },
    ...(query.where ?? []),
  ])
  const sql = `SELECT ${columns.join(', ')} FROM ${source} ${where} ${
    groups.length > 0 ? `GROUP BY ${groups.join(', ')} ORDER BY ${groups.join(', ')}` : 'HAVING count(*) > 0'
  }`
  return prepare<Row>(sql)(db).all(...(query.sourceValues ?? []), ...values)
}

const prepared = new Map<string, (db: Db) => { all(...values: SqlValue[]): unknown[] }>()

function prepare<Row>(sql: string): (db: Db) => { all(...values: SqlValue[]): Row[] } {
  const existing = prepared.get(sql) ?? statement<SqlValue[], Row>(sql)
  prepared.set(sql, existing)
  return existing as (db: Db) => { all(...values: SqlValue[]): Row[] }
}

function listValues(where: UsageValues = {}): [UsageSplit, string][] {
  return USAGE_SPLITS.flatMap((dimension) => {
    const value = where[dimension]
    return value === undefined ? [] : [[dimension, value]]
  })
}

// The usage of sessions in a range of time. A session within the range has its sums already; rows are counted for sessions
// that reach beyond it, for those whose rows are pruned, and for requests without a session.

interface Bound {
  from: number
  to: number
  /** Null for all keys. */
  key: string | null
}

const SAMPLE_NANO = `(SELECT sum(cost_nano) FROM session_models WHERE session = nr AND ${rollup.IS_SAMPLE})`
const SUMS_OF_WHOLE = rollup.MEASURE_NAMES.map((name) => {
  const { column } = rollup.MEASURES[name]
  return `${name === 'costNano' ? `${column} - ifnull(${SAMPLE_NANO}, 0)` : column} AS ${name}`
})

const whole = statement<Bound, Sum>(`
  SELECT id AS "group", '' AS split, ${SUMS_OF_WHOLE.join(', ')} FROM sessions
  WHERE last_at >= @from AND last_at < @to AND started_at >= @from AND pruned_requests = 0 AND requests > 0
    AND (@key IS NULL OR key_id = @key)`)
const OTHERS = `session IN (
  SELECT nr FROM sessions WHERE last_at >= ? AND started_at < ?
    AND NOT (last_at < ? AND started_at >= ? AND pruned_requests = 0))`

/** The sums of each session, by its id; '' for requests without one. */
function sumSessions(db: Db, options: SumOptions, from: number, to: number): Sum[] {
  const rest = [
    { sql: OTHERS, values: [from, to, to, from] },
    { sql: 'session IS NULL', values: [] },
  ]
  return [
    ...whole(db).all({ from, to, key: options.where?.key ?? null }),
    ...rest.flatMap((terms) => sumPart(db, options, { table: null, from, to }, [terms])),
  ]
}
