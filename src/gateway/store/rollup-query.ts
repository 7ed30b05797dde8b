// Sums over a range of time: whole days and whole 15-minute slots come from the rollups, the rest at the edges from
// request rows. The rows of old requests may be pruned: for those times only ranges of whole slots are exact, which days,
// weeks and months are in every time zone.
import type { USAGE_SPLITS } from '../../shared/usage.ts'
import { clientName } from './client-name.ts'
import { STATUS_CODES } from './request-codecs.ts'
import { rollupDay, rollupTimeZone, slot15mFrom, slot15mOf } from './rollup-slots.ts'
import { type Db, type SqlValue, statement } from './statement.ts'
import { type Texts, textsOf } from './texts.ts'

export type UsageSplit = (typeof USAGE_SPLITS)[number]

/** The dimensions that sums are grouped by; null for none. */
export interface Grouping {
  group: UsageSplit | null
  split: UsageSplit | null
}

export interface Sum {
  /** A key id, model, provider or client; '' where the grouping has none. */
  group: string
  split: string
  requests: number
  tokensIn: number
  tokensOut: number
  costNano: number
}

type StoredSum = Omit<Sum, 'group' | 'split'> & Record<'group' | 'split', SqlValue>

interface RangePart {
  from: number
  to: number
  source: Source
}

type Source = 'rows' | 'rollups' | 'day_sums'

/** The SQL of each dimension in the request rows, and its column in the rollups. */
const ROW_SQL: Record<UsageSplit, string> = {
  key: 'key_id',
  model: 'coalesce(model, requested_model)',
  provider: 'provider',
  client: 'client',
}
const ROLLUP_SQL: Record<UsageSplit, string> = {
  key: 'key_id',
  model: 'model',
  provider: 'provider',
  client: 'client',
}

/** Sums of the settled requests made at or after `from` and before `to`. A group may come in several rows. */
export function sumRange(db: Db, grouping: Grouping, from: number, to: number): Sum[] {
  return splitRange(from, to, rollupTimeZone(db)).flatMap(({ source, from, to }) => {
    const sums = sumStatement(source, grouping)(db).all(from, to)
    const texts = textsOf(db)
    const named = sums.map((sum) => ({
      ...sum,
      group: nameOf(sum.group, texts),
      split: nameOf(sum.split, texts),
    }))
    return source === 'rows' ? named.map((sum) => mapClientNames(sum, grouping)) : named
  })
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

const prepared = new Map<string, (db: Db) => { all(from: number, to: number): StoredSum[] }>()

function sumStatement(source: Source, grouping: Grouping) {
  const sql = source === 'rows' ? rowsSql(grouping) : rollupSql(source, grouping)
  let existing = prepared.get(sql)
  if (!existing) {
    existing = statement<SqlValue[], StoredSum>(sql)
    prepared.set(sql, existing)
  }
  return existing
}

function rollupSql(table: Source, grouping: Grouping): string {
  return `
    SELECT ${groupColumns(grouping, ROLLUP_SQL)}, sum(requests) AS requests, sum(tokens_in) AS tokensIn,
      sum(tokens_out) AS tokensOut, sum(cost_nano) AS costNano
    FROM ${table} WHERE bucket >= ? AND bucket < ? ${groupSql(grouping)}`
}

function rowsSql(grouping: Grouping): string {
  return `
    SELECT ${groupColumns(grouping, ROW_SQL)}, count(*) AS requests, sum(tokens_in) AS tokensIn,
      sum(tokens_out) AS tokensOut, coalesce(sum(cost_nano), 0) AS costNano
    FROM requests INDEXED BY requests_by_time
    WHERE created_at >= ? AND created_at < ? AND status <> ${STATUS_CODES.refused} ${groupSql(grouping)}`
}

function groupColumns({ group, split }: Grouping, columns: Record<UsageSplit, string>): string {
  return `${group ? columns[group] : 'NULL'} AS "group", ${split ? columns[split] : 'NULL'} AS "split"`
}

/** Without a grouping there is one sum, or none when the range is empty. */
function groupSql({ group, split }: Grouping): string {
  return group || split ? 'GROUP BY 1, 2' : 'HAVING count(*) > 0'
}
