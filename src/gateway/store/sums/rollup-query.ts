// Sums over a range of time: whole days and whole 15-minute slots come from the rollups, the rest at the edges from
// request rows. The rows of old requests may be pruned: for those times only ranges of whole slots are exact, which days,
// weeks and months are in every time zone.
import { USAGE_SPLITS } from '../../../shared/usage-splits.ts'
import { type Db, type SqlValue, statement } from '../engine/statement.ts'
import { STATUS_CODES } from '../ledger/request-codecs.ts'
import { hourOf, sessionsOf, type Texts, textsOf } from '../ledger/session-numbers.ts'
import { clientName } from './client-name.ts'
import {
  IS_SAMPLE,
  MEASURE_NAMES,
  MEASURES,
  type Measures,
  rollupDay,
  rollupTimeZone,
  slot15mFrom,
  slot15mOf,
  sumOfSums,
  TIMINGS_OF_ROWS,
} from './rollup-columns.ts'

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
  /** Adds histograms of the durations. */
  timings?: boolean | undefined
}

export interface Sum extends Measures {
  /** A key id, model, provider, client, tag or session id; '' where the grouping has none. */
  group: string
  split: string
  /** Histograms of the durations, as `sumTimings` takes them. */
  timings?: Uint8Array | null
}

type StoredSum = Omit<Sum, 'group' | 'split'> & Record<'group' | 'split' | 'filtered', SqlValue>

interface RangePart {
  from: number
  to: number
  source: Source
}

const NO_SESSION = -1n

type Source = 'rows' | 'rollups' | 'day_sums'

/** The SQL of each dimension in the request rows, and its column in the rollups. */
const ROW_SQL: Record<UsageSplit, string> = {
  key: 'key_id',
  model: 'coalesce(model, requested_model)',
  provider: 'provider',
  client: 'client',
  tag: 'tag',
  session: 'session',
}
/** Sessions are in none: they are counted from the rows, or have sums of their own. */
const ROLLUP_SQL: Record<UsageSplit, string> = {
  key: 'key_id',
  model: 'model',
  provider: 'provider',
  client: 'client',
  tag: 'tag',
  session: 'NULL',
}

/**
 * Sums of the settled requests made at or after `from` and before `to`, without sample costs. A group may come in several
 * rows.
 */
export function sumRange(db: Db, options: SumOptions, from: number, to: number): Sum[] {
  if (isOfWholeSessions(options))
    return sumSessions(db, { from, to, key: options.where?.key }).map((sum) => ({ ...sum, split: '' }))
  const parts = needsRows(options)
    ? nonEmpty([{ source: 'rows', from, to }])
    : splitRange(from, to, rollupTimeZone(db))
  return parts.flatMap((part) =>
    part.source === 'rows' ? sumRows(db, options, part) : sumRollups(db, options, part),
  )
}

/** Whether the sums that each session has are enough. */
function isOfWholeSessions({ group, split, where = {}, timings }: SumOptions): boolean {
  const isOnlyByKey = termsOf(where).every(([dimension]) => dimension === 'key')
  return group === 'session' && split === null && !timings && isOnlyByKey
}

function needsRows({ group, split, where }: SumOptions): boolean {
  return group === 'session' || split === 'session' || where?.session !== undefined
}

function sumRollups(db: Db, options: SumOptions, { source, from, to }: RangePart): Sum[] {
  const texts = textsOf(db)
  const values = termsOf(options.where).map(([, value]) => texts.find(value))
  return prepare(rollupSql(source, options))(db)
    .all(from, to, ...values)
    .map(({ filtered: _filtered, ...sum }) => named(db, sum, options))
}

/** The rows of clients with the same name are found after they were read, because rows have what the clients sent. */
function sumRows(db: Db, options: SumOptions, { from, to }: RangePart): Sum[] {
  const texts = textsOf(db)
  const { client, ...where } = options.where ?? {}
  const values = termsOf(where).map(([dimension, value]) => {
    if (value === '') return null
    return dimension === 'session' ? (sessionsOf(db).find(value) ?? NO_SESSION) : texts.find(value)
  })
  return prepare(rowsSql(options))(db)
    .all(from, to, ...values)
    .filter(({ filtered }) => client === undefined || clientName(nameOf(filtered, texts)) === client)
    .map(({ filtered: _filtered, ...sum }) => mapClientNames(named(db, sum, options), options))
}

function named(db: Db, sum: Omit<StoredSum, 'filtered'>, { group, split }: Grouping): Sum {
  const texts = textsOf(db)
  const nameIn = (dimension: UsageSplit | null, stored: SqlValue) =>
    dimension === 'session' ? (sessionsOf(db).idOf(stored) ?? '') : nameOf(stored, texts)
  return { ...sum, group: nameIn(group, sum.group), split: nameIn(split, sum.split) }
}

/** NULL is in the rows of requests without a client or provider, and in sums that are not grouped. */
function nameOf(stored: SqlValue, texts: Texts): string {
  return stored === null ? '' : texts.textOf(stored)
}

/** Splits the range into the widest parts that fit: rows, slots, days, slots, rows. */
function splitRange(from: number, to: number, zone: string): RangePart[] {
  const firstSlot = slot15mFrom(from)
  const endSlot = slot15mOf(to)
  if (endSlot <= firstSlot) return nonEmpty([{ source: 'rows', from, to }])
  const day = rollupDay(firstSlot, zone)
  const firstDay = day.start === firstSlot ? firstSlot : day.end
  const endDay = rollupDay(endSlot, zone).start
  const whole: RangePart[] =
    endDay <= firstDay
      ? [{ source: 'rollups', from: firstSlot, to: endSlot }]
      : [
          { source: 'rollups', from: firstSlot, to: firstDay },
          { source: 'day_sums', from: firstDay, to: endDay },
          { source: 'rollups', from: endDay, to: endSlot },
        ]
  return nonEmpty([{ source: 'rows', from, to: firstSlot }, ...whole, { source: 'rows', from: endSlot, to }])
}

function nonEmpty(parts: RangePart[]): RangePart[] {
  return parts.filter((part) => part.from < part.to)
}

function mapClientNames(sum: Sum, { group, split }: Grouping): Sum {
  return {
    ...sum,
    group: group === 'client' ? clientName(sum.group) : sum.group,
    split: split === 'client' ? clientName(sum.split) : sum.split,
  }
}

const prepared = new Map<string, (db: Db) => { all(...values: SqlValue[]): StoredSum[] }>()

function prepare(sql: string) {
  let existing = prepared.get(sql)
  if (!existing) {
    existing = statement<SqlValue[], StoredSum>(sql)
    prepared.set(sql, existing)
  }
  return existing
}

function rollupSql(table: Source, options: SumOptions): string {
  const sums = MEASURE_NAMES.map((name) => `${sumOfSums(name)} AS ${name}`)
  if (options.timings) sums.push('sum_timings(timings) AS timings')
  const terms = termsOf(options.where).map(([dimension]) => `AND ${ROLLUP_SQL[dimension]} = ?`)
  return `
    SELECT ${groupColumns(options, ROLLUP_SQL)}, NULL AS filtered, ${sums.join(', ')}
    FROM ${table} WHERE bucket >= ? AND bucket < ? ${terms.join(' ')} ${groupSql(options)}`
}

function rowsSql(options: SumOptions): string {
  const sums = MEASURE_NAMES.map((name) => `${MEASURES[name].ofRows} AS ${name}`)
  if (options.timings) sums.push(`${TIMINGS_OF_ROWS} AS timings`)
  const { client, ...where } = options.where ?? {}
  const terms = termsOf(where).map(
    ([dimension]) => `AND ${ROW_SQL[dimension]} ${dimension === 'session' ? '=' : 'IS'} ?`,
  )
  const byClient = client !== undefined
  return `
    SELECT ${groupColumns(options, ROW_SQL)}, ${byClient ? ROW_SQL.client : 'NULL'} AS filtered, ${sums.join(', ')}
    FROM requests INDEXED BY ${where.session ? 'requests_by_session' : 'requests_by_time'}
    WHERE created_at >= ? AND created_at < ? AND status <> ${STATUS_CODES.refused} ${terms.join(' ')}
    ${byClient ? 'GROUP BY 1, 2, 3' : groupSql(options)}`
}

function termsOf(where: UsageValues = {}): [UsageSplit, string][] {
  return USAGE_SPLITS.flatMap((dimension) => {
    const value = where[dimension]
    return value === undefined ? [] : [[dimension, value]]
  })
}

function groupColumns({ group, split }: Grouping, columns: Record<UsageSplit, string>): string {
  return `${group ? columns[group] : 'NULL'} AS "group", ${split ? columns[split] : 'NULL'} AS "split"`
}

/** Without a grouping there is one sum, or none when the range is empty. */
function groupSql({ group, split }: Grouping): string {
  return group || split ? 'GROUP BY 1, 2' : 'HAVING count(*) > 0'
}

// What sessions used in a range of time. A session within the range has its sums already; rows are counted for those that
// reach beyond it, for those of which rows are pruned, and for requests without a session.

interface SessionRange {
  from: number
  to: number
  /** Only of this key. */
  key?: string | undefined
}

interface Bound {
  from: number
  to: number
  hour: number
  key: SqlValue
}

type Row = Measures & { session: SqlValue }

const WHOLE = 'started_at >= @from AND last_at < @to AND pruned_requests = 0'
const ACTIVE = 'last_hour >= @hour AND last_at >= @from AND started_at < @to'
const OF_KEY = '(@key IS NULL OR key_id = @key)'
const ROWS = MEASURE_NAMES.map((name) => `${MEASURES[name].ofRows} AS ${name}`).join(', ')
const SETTLED = `created_at >= @from AND created_at < @to AND status <> ${STATUS_CODES.refused} AND ${OF_KEY}`

const SAMPLE_NANO = `(SELECT sum(cost_nano) FROM session_models WHERE session = nr AND ${IS_SAMPLE})`

function ofWhole(name: keyof Measures): string {
  const { column } = MEASURES[name]
  return name === 'costNano' ? `${column} - ifnull(${SAMPLE_NANO}, 0)` : column
}

const whole = statement<Bound, Row>(`
  SELECT nr AS session, ${MEASURE_NAMES.map((name) => `${ofWhole(name)} AS ${name}`).join(', ')}
  FROM sessions INDEXED BY sessions_by_hour WHERE ${ACTIVE} AND ${WHOLE} AND requests > 0 AND ${OF_KEY}`)
const others = statement<Bound, Row>(`
  SELECT session, ${ROWS} FROM requests INDEXED BY requests_by_session
  WHERE session IN (SELECT nr FROM sessions WHERE ${ACTIVE} AND NOT (${WHOLE}) AND ${OF_KEY}) AND ${SETTLED}
  GROUP BY session`)
const without = statement<Bound, Row>(`
  SELECT NULL AS session, ${ROWS} FROM requests INDEXED BY requests_without_session
  WHERE session IS NULL AND ${SETTLED} HAVING count(*) > 0`)

/** The sums of each session, by its id; '' for requests without one. */
function sumSessions(db: Db, { from, to, key }: SessionRange): (Measures & { group: string })[] {
  const bound = { from, to, hour: hourOf(from), key: key === undefined ? null : textsOf(db).find(key) }
  const rows = [whole, others, without].flatMap((each) => each(db).all(bound))
  const ids = sessionsOf(db)
  return rows.map(({ session, ...sums }) => ({
    ...sums,
    group: session === null ? '' : (ids.idOf(session) ?? ''),
  }))
}
