// The activity history: what happened to limits, keys, providers and data, and who did it.

import type { StorePart } from '../../../gateway/store/part.ts'
import { readCursor, writeCursor } from '../../../gateway/store/sql/cursor.ts'
import { type Db, statement } from '../../../gateway/store/sql/statement.ts'
import { created, defineTable, json, type RowOf, recorded } from '../../../gateway/store/sql/table.ts'
import type {
  ActivityActor,
  ActivityKind,
  ActivityLimit,
  ActivitySubject,
} from '../../../shared/api/activity.ts'

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

interface ActivityPage {
  rows: StoredActivity[]
  nextCursor: string | null
  unread: number
}

const FIELDS = {
  seq: recorded<number>(),
  at: created<number>(),
  kind: created<ActivityKind>(),
  actor: created<ActivityActor['kind']>(),
  actorId: created<string | null>(),
  actorName: created<string | null>(),
  subject: created<ActivitySubject['kind'] | null>(),
  subjectId: created<string | null>(),
  subjectName: created<string | null>(),
  spentNano: created<number | null>(),
  limitNano: created<number | null>(),
  previousNano: created<number | null>(),
  details: created<Details>(json()),
}

const KEPT_MS = 90 * 24 * 60 * 60_000
const MAX_KEPT = 10_000

type Row = RowOf<typeof FIELDS>

/** The setting with the `seq` of the last entry that was seen. */
const SEEN = 'activitySeen'

const table = defineTable('activity', FIELDS)
const add = table.insert()
const page = table.select<[number, number]>('WHERE seq < ? ORDER BY seq DESC LIMIT ?')
const pageOfKind = table.select<[string, number, number]>(
  'WHERE kind = ? AND seq < ? ORDER BY seq DESC LIMIT ?',
)
const countAfter = statement<[number, string, string | null], { count: number }>(
  'SELECT count(*) AS count FROM activity WHERE seq > ? AND NOT (actor = ? AND actor_id IS ?)',
)
const newest = statement<[], { seq: number | null }>('SELECT max(seq) AS seq FROM activity')
const seenSetting = statement<[string], { value: string }>('SELECT value FROM settings WHERE name = ?')
const putSeen = statement<[string, string]>('INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)')
const removeBefore = statement<[number, number]>('DELETE FROM activity WHERE at < ? OR seq <= ?')

function addActivity(db: Db, entry: NewActivity): void {
  const { at, kind, actor, subject, spentNano, limitNano, previousNano, ...details } = entry
  add(db, {
    at,
    kind,
    actor: actor.kind,
    actorId: actor.id,
    actorName: actor.name,
    subject: subject?.kind ?? null,
    subjectId: subject?.id ?? null,
    subjectName: subject?.name ?? null,
    spentNano: toExact(spentNano),
    limitNano: toExact(limitNano),
    previousNano: toExact(previousNano),
    details,
  })
}

function toExact(nano: number | null | undefined): number | null {
  return typeof nano === 'number' ? Math.min(nano, Number.MAX_SAFE_INTEGER) : null
}

/** One page in the order in which entries were added, the newest first. Throws a StoreError `bad_cursor`. */
function listActivity(db: Db, { limit, cursor, kind, reader }: ActivityFilter): ActivityPage {
  const [, before = 0] = cursor === undefined ? [0, Number.MAX_SAFE_INTEGER] : readCursor(cursor, 2)
  return db.transaction(() => {
    const rows = kind === undefined ? page(db, before, limit + 1) : pageOfKind(db, kind, before, limit + 1)
    const shown = rows.slice(0, limit)
    const last = rows.length > limit ? shown.at(-1) : undefined
    const seen = seenUntil(db)
    return {
      rows: shown.map((row) => ({ ...decode(row), unread: row.seq > seen && !isOwn(row, reader) })),
      nextCursor: last ? writeCursor([last.at, last.seq]) : null,
      unread: countUnread(db, reader),
    }
  })()
}

/** Marks all entries up to one as seen, and returns how many are unread then. What was seen once stays seen. */
function markActivitySeen(
  db: Db,
  { until, reader }: { until: number; reader: ActivityFilter['reader'] },
): number {
  const seen = Math.max(seenUntil(db), Math.min(until, newest(db).get()?.seq ?? 0))
  putSeen(db).run(SEEN, JSON.stringify(seen))
  return countUnread(db, reader)
}

function sweep(db: Db, now: number): void {
  removeBefore(db).run(now - KEPT_MS, (newest(db).get()?.seq ?? 0) - MAX_KEPT)
}

function countUnread(db: Db, { kind, id }: ActivityFilter['reader']): number {
  return countAfter(db).get(seenUntil(db), kind, id)?.count ?? 0
}

function seenUntil(db: Db): number {
  const value: unknown = JSON.parse(seenSetting(db).get(SEEN)?.value ?? '0')
  return typeof value === 'number' ? value : 0
}

function isOwn({ actor, actorId }: Row, { kind, id }: ActivityFilter['reader']): boolean {
  return actor === kind && actorId === id
}

function decode({ actor, actorId, actorName, subject, subjectId, subjectName, details, ...row }: Row) {
  return {
    ...row,
    actor: { kind: actor, id: actorId, name: actorName },
    subject: subject && { kind: subject, id: subjectId, name: subjectName },
    ...details,
  }
}

/** The first versions of the app had it among the tables of the core. */
const TABLE = `
CREATE TABLE IF NOT EXISTS activity (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  actor TEXT NOT NULL,
  actor_id TEXT,
  actor_name TEXT,
  subject TEXT,
  subject_id TEXT,
  subject_name TEXT,
  spent_nano INTEGER,
  limit_nano INTEGER,
  previous_nano INTEGER,
  -- JSON: what only some kinds have.
  details TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS activity_by_kind ON activity (kind, seq);
CREATE INDEX IF NOT EXISTS activity_by_time ON activity (at);
`

export const activityRows = {
  name: 'activity',
  migrations: [TABLE],
  writes: { addActivity, markActivitySeen },
  reads: { listActivity },
  sweep,
} satisfies StorePart

declare module '../../../gateway/store/calls.ts' {
  interface Writes extends Readonly<typeof activityRows.writes> {}
  interface Reads extends Readonly<typeof activityRows.reads> {}
}
