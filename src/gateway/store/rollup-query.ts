// Owns sums over a range of time: whole days and whole quarters of an hour come from the kept sums, what is left at the
// edges from request rows. Rows that were pruned are in no edge: for pruned times only bounds on a quarter of an hour
// are exact, as those of days, weeks and months are in every time zone.
import type { USAGE_SPLITS } from '../../shared/usage.ts'
import { clientName } from './client-name.ts'
import { rollupDay, rollupTimeZone, slot15mFrom, slot15mOf } from './rollup-slots.ts'
import { type Db, type SqlValue, statement } from './statement.ts'

export type UsageSplit = (typeof USAGE_SPLITS)[number]

/** What sums are told apart by: a group, and a part of it. Null tells nothing apart. */
export interface Cut {
  group: UsageSplit | null
  split: UsageSplit | null
}

export interface Sum {
  /** A key id, model, provider or client; '' where the cut has none. */
  group: string
  split: string
  requests: number
  tokensIn: number
  tokensOut: number
  costNano: number
}

interface Step {
  from: number
  to: number
  source: Source
}

type Source = 'rows' | 'rollups' | 'day_sums'

/** How each dimension is written in the request rows. In the sums it is a column. */
const ROWS: Record<UsageSplit, string> = {
  key: 'key_id',
  model: 'coalesce(model, requested_model)',
  provider: "coalesce(provider, '')",
  client: "coalesce(client, '')",
}
const SUMS: Record<UsageSplit, string> = {
  key: 'key_id',
  model: 'model',
  provider: 'provider',
  client: 'client',
}

/** Sums of the settled requests made at or after `from` and before `to`. One cut may come in several rows. */
export function sumRange(db: Db, cut: Cut, from: number, to: number): Sum[] {
  return splitRange(from, to, rollupTimeZone(db)).flatMap(({ source, from, to }) => {
    const sums = sumUp(source, cut)(db).all(from, to)
    return source === 'rows' ? sums.map((sum) => mapClientNames(sum, cut)) : sums
  })
}

/** The range as steps, the widest that fit: rows, quarters, days, quarters, rows. */
function splitRange(from: number, to: number, zone: string): Step[] {
  const firstSlot = slot15mFrom(from)
  const endSlot = slot15mOf(to)
  if (endSlot <= firstSlot) return taken([{ source: 'rows', from, to }])
  const day = rollupDay(firstSlot, zone)
  const firstDay = day.start === firstSlot ? firstSlot : day.end
  const endDay = rollupDay(endSlot, zone).start
  const whole: Step[] =
    endDay <= firstDay
      ? [{ source: 'rollups', from: firstSlot, to: endSlot }]
      : [
          { source: 'rollups', from: firstSlot, to: firstDay },
          { source: 'day_sums', from: firstDay, to: endDay },
          { source: 'rollups', from: endDay, to: endSlot },
        ]
  return taken([{ source: 'rows', from, to: firstSlot }, ...whole, { source: 'rows', from: endSlot, to }])
}

function taken(steps: Step[]): Step[] {
  return steps.filter((step) => step.from < step.to)
}

function mapClientNames(sum: Sum, { group, split }: Cut): Sum {
  return {
    ...sum,
    group: group === 'client' ? clientName(sum.group) : sum.group,
    split: split === 'client' ? clientName(sum.split) : sum.split,
  }
}

const prepared = new Map<string, (db: Db) => { all(from: number, to: number): Sum[] }>()

function sumUp(source: Source, cut: Cut) {
  const sql = source === 'rows' ? rowsSql(cut) : rollupSql(source, cut)
  let known = prepared.get(sql)
  if (!known) {
    known = statement<SqlValue[], Sum>(sql)
    prepared.set(sql, known)
  }
  return known
}

function rollupSql(table: Source, cut: Cut): string {
  return `
    SELECT ${cutSql(cut, SUMS)}, sum(requests) AS requests, sum(tokens_in) AS tokensIn,
      sum(tokens_out) AS tokensOut, sum(cost_nano) AS costNano
    FROM ${table} WHERE bucket >= ? AND bucket < ? ${groupSql(cut)}`
}

function rowsSql(cut: Cut): string {
  return `
    SELECT ${cutSql(cut, ROWS)}, count(*) AS requests, sum(tokens_in) AS tokensIn,
      sum(tokens_out) AS tokensOut, coalesce(sum(cost_nano), 0) AS costNano
    FROM requests INDEXED BY requests_by_time
    WHERE created_at >= ? AND created_at < ? AND status NOT IN ('running', 'refused') ${groupSql(cut)}`
}

function cutSql({ group, split }: Cut, columns: Record<UsageSplit, string>): string {
  return `${group ? columns[group] : "''"} AS "group", ${split ? columns[split] : "''"} AS "split"`
}

/** Without a cut there is one sum, or none where nothing was summed. */
function groupSql({ group, split }: Cut): string {
  return group || split ? 'GROUP BY 1, 2' : 'HAVING count(*) > 0'
}
