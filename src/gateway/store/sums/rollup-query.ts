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

/**
 * Sums of the settled requests made at or after `from` and before `to`, without sample costs. A group may come in several
 * rows.
 */
export function sumRange(db: Db, options: SumOptions, from: number, to: number): Sum[] {
  if (isOfWholeSessions(options))
    return sumSessions(db, { from, to, key: options.where?.key }).map((sum) => ({ ...sum, split: '' }))
  const parts = needsRows(options)
    ? nonEmpty([{ table: null, from, to }])
    : splitRange(from, to, rollup.rollupTimeZone(db))
  return parts.flatMap(({ table, ...span }) =>
    table === null ? sumRows(db, options, span) : sumRollups(db, options, table, span),
  )
}

/** Whether the sums that each session has are enough. */
function isOfWholeSessions({ group, split, where = {}, within, timings }: SumOptions): boolean {
  const isOnlyByKey = listValues(where).every(([dimension]) => dimension === 'key')
  return group === 'session' && split === null && !within && !timings && isOnlyByKey
}

function needsRows({ group, split, where, within }: SumOptions): boolean {
  return within !== undefined || group === 'session' || split === 'session' || where?.session !== undefined
}

function sumRollups(
  db: Db,
  options: SumOptions,
  table: rollup.RollupTable,
  span: Omit<RangePart, 'table'>,
): Sum[] {
  return readSums<StoredSum>(db, {
    ...span,
    source: table,
    where: listValues(options.where).map(([dimension, value]) => ({
      sql: `${ROLLUP_SQL[dimension]} = ?`,
      values: [value],
    })),
    by: listGroups(options, ROLLUP_SQL),
    sums: {
      ...Object.fromEntries(rollup.MEASURE_NAMES.map((name) => [name, rollup.sumOfSums(name)])),
      ...(options.timings && { timings: 'sum_timings(timings)' }),
    },
  }).map(toSum)
}

const IN_STRETCHES = `
  (SELECT value ->> 0 AS session, value ->> 1 AS since, value ->> 2 AS until, value ->> 3 AS name FROM json_each(?))
    AS stretches
  CROSS JOIN requests ON requests.session = stretches.session AND created_at >= since AND created_at < until`

function sumRows(db: Db, options: SumOptions, span: Omit<RangePart, 'table'>): Sum[] {
  const { within, where } = options
  return readSums<StoredSum>(db, {
    ...span,
    source: within ? IN_STRETCHES : 'requests',
    sourceValues: within ? [within.json] : [],
    time: 'created_at',
    where: [
      { sql: rollup.IS_SETTLED, values: [] },
      ...listValues(where).map(([dimension, value]) => ({
        sql:
          dimension === 'session'
            ? 'requests.session = (SELECT nr FROM sessions WHERE id = ?)'
            : `${ROW_SQL[dimension]} = ?`,
        values: [value],
      })),
    ],
    by: { ...listGroups(options, ROW_SQL), ...(within?.isGrouped && { group: 'stretches.name' }) },
    sums: {
      ...Object.fromEntries(rollup.MEASURE_NAMES.map((name) => [name, rollup.MEASURES[name].ofRows])),
      ...(options.timings && { timings: rollup.TIMINGS_OF_ROWS }),
    },
  }).map(toSum)
}

function listGroups({ group, split }: Grouping, sql: Record<UsageSplit, string>): Record<string, string> {
  return { ...(group && { group: sql[group] }), ...(split && { split: sql[split] }) }
}

function toSum(sum: StoredSum): Sum {
  return { group: '', split: '', ...sum }
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

interface SessionRange {
  from: number
  to: number
  /** Only of this key. */
  key?: string | null | undefined
}

interface Bound {
  from: number
  to: number
  key: string | null
}

type SessionSum = rollup.Measures & { group: string }

const WHOLE = 'started_at >= @from AND last_at < @to AND pruned_requests = 0'
const ACTIVE = 'last_at >= @from AND started_at < @to'
const OF_KEY = '(@key IS NULL OR key_id = @key)'
const ROWS = rollup.MEASURE_NAMES.map((name) => `${rollup.MEASURES[name].ofRows} AS ${name}`).join(', ')
const SETTLED = `created_at >= @from AND created_at < @to AND ${rollup.IS_SETTLED} AND ${OF_KEY}`

const SAMPLE_NANO = `(SELECT sum(cost_nano) FROM session_models WHERE session = nr AND ${rollup.IS_SAMPLE})`

function ofWhole(name: keyof rollup.Measures): string {
  const { column } = rollup.MEASURES[name]
  return name === 'costNano' ? `${column} - ifnull(${SAMPLE_NANO}, 0)` : column
}

const whole = statement<Bound, SessionSum>(`
  SELECT id AS "group", ${rollup.MEASURE_NAMES.map((name) => `${ofWhole(name)} AS ${name}`).join(', ')}
  FROM sessions WHERE ${ACTIVE} AND ${WHOLE} AND requests > 0 AND ${OF_KEY}`)
const others = statement<Bound, SessionSum>(`
  SELECT ${ROW_SQL.session} AS "group", ${ROWS} FROM requests
  WHERE session IN (SELECT nr FROM sessions WHERE ${ACTIVE} AND NOT (${WHOLE}) AND ${OF_KEY}) AND ${SETTLED}
  GROUP BY session`)
const without = statement<Bound, SessionSum>(`
  SELECT '' AS "group", ${ROWS} FROM requests WHERE session IS NULL AND ${SETTLED} HAVING count(*) > 0`)

/** The sums of each session, by its id; '' for requests without one. */
function sumSessions(db: Db, { from, to, key = null }: SessionRange): SessionSum[] {
  return [whole, others, without].flatMap((each) => each(db).all({ from, to, key }))
}
