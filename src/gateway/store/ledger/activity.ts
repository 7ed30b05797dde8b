// The activity history: what happened to limits, keys, providers and data, and who did it.
import type {
  ActivityActor,
  ActivityKind,
  ActivityLimit,
  ActivitySubject,
} from '../../../shared/api/activity.ts'
import { readCursor, writeCursor } from '../engine/cursor.ts'
import { type Db, statement } from '../engine/statement.ts'

/** Details that only some kinds have. Times are epoch milliseconds. */
interface Details {
  limit?: ActivityLimit
  models?: number
  since?: number
  reason?: string
  address?: string
}

/** Amounts are in nano-dollars; null or absent where there is none. One too large to be exact is stored as the largest exact one. */
export interface NewActivity extends Details {
  at: number
  kind: ActivityKind
  actor: ActivityActor
  subject: ActivitySubject | null
  spentNano?: number | null
  limitNano?: number | null
  previousNano?: number | null
}

export interface StoredActivity extends Required<Omit<NewActivity, keyof Details>>, Details {
  seq: number
  unread: boolean
}

interface ActivityFilter {
  limit: number
  cursor?: string
  kind?: ActivityKind
  /** Whose own entries are not unread. */
  reader: Pick<ActivityActor, 'kind' | 'id'>
}

export interface ActivityPage {
  rows: StoredActivity[]
  nextCursor: string | null
  unread: number
}

interface Row {
  seq: number
  at: number
  kind: ActivityKind
  actor: ActivityActor['kind']
  actor_id: string | null
  actor_name: string | null
  subject: ActivitySubject['kind'] | null
  subject_id: string | null
  subject_name: string | null
  spent_nano: number | null
  limit_nano: number | null
  previous_nano: number | null
  details: string
}

/** The setting with the `seq` of the last entry that was seen. */
const SEEN = 'activitySeen'

const add = statement<(string | number | null)[]>(`
  INSERT INTO activity (at, kind, actor, actor_id, actor_name, subject, subject_id, subject_name,
    spent_nano, limit_nano, previous_nano, details)
  VALUES (CAST(? AS INTEGER), ?, ?, ?, ?, ?, ?, ?, CAST(? AS INTEGER), CAST(? AS INTEGER), CAST(? AS INTEGER), ?)`)
const page = statement<[number, number], Row>(
  'SELECT * FROM activity WHERE seq < ? ORDER BY seq DESC LIMIT ?',
)
const pageOfKind = statement<[string, number, number], Row>(
  'SELECT * FROM activity WHERE kind = ? AND seq < ? ORDER BY seq DESC LIMIT ?',
)
const countAfter = statement<[number, string, string | null], { count: number }>(
  'SELECT count(*) AS count FROM activity WHERE seq > ? AND NOT (actor = ? AND actor_id IS ?)',
)
const newest = statement<[], { seq: number | null }>('SELECT max(seq) AS seq FROM activity')
const seenSetting = statement<[string], { value: string }>('SELECT value FROM settings WHERE name = ?')
const putSeen = statement<[string, string]>('INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)')
const removeBefore = statement<[number, number]>('DELETE FROM activity WHERE at < ? OR seq <= ?')

export function addActivity(db: Db, entry: NewActivity): void {
  const { at, kind, actor, subject, spentNano, limitNano, previousNano, ...details } = entry
  const amounts = [spentNano, limitNano, previousNano].map((nano) =>
    typeof nano === 'number' ? Math.min(nano, Number.MAX_SAFE_INTEGER) : null,
  )
  const who = [actor.kind, actor.id, actor.name]
  const what = [subject?.kind ?? null, subject?.id ?? null, subject?.name ?? null]
  add(db).run(at, kind, ...who, ...what, ...amounts, JSON.stringify(details))
}

/** One page in the order in which entries were added, the newest first. Throws a StoreError `bad_cursor`. */
export function listActivity(db: Db, { limit, cursor, kind, reader }: ActivityFilter): ActivityPage {
  const [, before = 0] = cursor === undefined ? [0, Number.MAX_SAFE_INTEGER] : readCursor(cursor, 2)
  return db.transaction(() => {
    const found =
      kind === undefined ? page(db).all(before, limit + 1) : pageOfKind(db).all(kind, before, limit + 1)
    const shown = found.slice(0, limit)
    const last = found.length > limit ? shown.at(-1) : undefined
    const seen = seenUntil(db)
    return {
      rows: shown.map((row) => ({ ...decode(row), unread: row.seq > seen && !isOwn(row, reader) })),
      nextCursor: last ? writeCursor([last.at, last.seq]) : null,
      unread: countUnread(db, reader),
    }
  })()
}

/** Marks all entries up to one as seen, and returns how many are unread then. What was seen once stays seen. */
export function markActivitySeen(
  db: Db,
  { until, reader }: { until: number; reader: ActivityFilter['reader'] },
): number {
  const seen = Math.max(seenUntil(db), Math.min(until, newest(db).get()?.seq ?? 0))
  putSeen(db).run(SEEN, JSON.stringify(seen))
  return countUnread(db, reader)
}

/** Deletes what happened before `before`, and all but the last `keep`. */
export function sweepActivity(db: Db, { before, keep }: { before: number; keep: number }): void {
  removeBefore(db).run(before, (newest(db).get()?.seq ?? 0) - keep)
}

function countUnread(db: Db, { kind, id }: ActivityFilter['reader']): number {
  return countAfter(db).get(seenUntil(db), kind, id)?.count ?? 0
}

function seenUntil(db: Db): number {
  const value: unknown = JSON.parse(seenSetting(db).get(SEEN)?.value ?? '0')
  return typeof value === 'number' ? value : 0
}

function isOwn({ actor, actor_id }: Row, { kind, id }: ActivityFilter['reader']): boolean {
  return actor === kind && actor_id === id
}

function decode(row: Row): Omit<StoredActivity, 'unread'> {
  const { seq, at, kind, subject } = row
  const details: Details = JSON.parse(row.details)
  return {
    seq,
    at,
    kind,
    actor: { kind: row.actor, id: row.actor_id, name: row.actor_name },
    subject: subject && { kind: subject, id: row.subject_id, name: row.subject_name },
    spentNano: row.spent_nano,
    limitNano: row.limit_nano,
    previousNano: row.previous_nano,
    ...details,
  }
}
