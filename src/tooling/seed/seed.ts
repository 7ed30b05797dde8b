// Creates a data dir with keys and a request log, for development: `node src/tooling/seed/seed.ts --data-dir D`. The
// same seed always creates the same requests.
import { lstatSync, mkdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import Sqlite from 'better-sqlite3'
import '../../gateway/compose/store-worker.ts'
import { syncFile } from '../../gateway/platform/durable-files.ts'
import { createPrivateFile, databasePath } from '../../gateway/store/engine/files.ts'
import { migrate } from '../../gateway/store/engine/migrations.ts'
import { setRollupTimeZone } from '../../gateway/store/sums/rollup-columns.ts'
import { defineTimings } from '../../gateway/store/sums/timings.ts'
import { createRandom, type Random } from '../../gateway/testing/random.ts'
import { systemTimeZone } from '../../shared/values/calendar.ts'
import { drawRequest } from './draw-request.ts'
import { SEED_KEYS } from './keys.ts'
import { seedModels } from './models.ts'
import { momentsUntil } from './moments.ts'
import { SeedWriter } from './seed-writer.ts'
import { SeedSessions, withSession } from './sessions.ts'

const DAY_MS = 24 * 60 * 60_000
const CACHE_KIB = 512 * 1024

export interface SeedOptions {
  requests: number
  days: number
  /** The last moment of all, in milliseconds since the epoch. */
  now: number
  /** The time zone of the daily rollups; the system's when absent. */
  timeZone?: string
  /** The seed of the random numbers. */
  number?: number
}

/** Creates the folder's database. Throws when there is one already. Durable when it returns. */
export function seed(dataDir: string, options: SeedOptions): void {
  const { requests, days, now, timeZone = systemTimeZone(), number = 1 } = options
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const path = databasePath(dataDir)
  if (lstatSync(path, { throwIfNoEntry: false }))
    throw new Error(`There is a database in ${dataDir} already.`)
  createPrivateFile(path)
  const db = new Sqlite(path)
  try {
    // The pragma of a database that the store creates; without it, the first start would rewrite the whole file.
    db.pragma('auto_vacuum = INCREMENTAL')
    // If this is interrupted the folder is useless anyway: there is nothing to roll back to.
    db.pragma('journal_mode = OFF')
    db.pragma('synchronous = OFF')
    db.pragma(`cache_size = -${CACHE_KIB}`)
    defineTimings(db)
    migrate(db, now - days * DAY_MS)
    db.transaction(() => {
      setRollupTimeZone(db, timeZone)
      const indexes = dropIndexes(db)
      const sessions = new SeedSessions(number, seedModels(now))
      fill(db, { requests, days, now, sessions }, createRandom(number))
      for (const sql of indexes) db.exec(sql)
    })()
  } finally {
    db.close()
  }
  syncFile(path)
}

/** Creating an index at the end takes a fraction of updating it with every row. Returns the SQL that creates them. */
function dropIndexes(db: Sqlite.Database): string[] {
  const indexes = db
    .prepare<[], { name: string; sql: string }>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'requests' AND sql IS NOT NULL",
    )
    .all()
  for (const { name } of indexes) db.exec(`DROP INDEX ${name}`)
  return indexes.map(({ sql }) => sql)
}

function fill(
  db: Sqlite.Database,
  options: Pick<SeedOptions, 'requests' | 'days' | 'now'> & { sessions: SeedSessions },
  random: Random,
): void {
  const { days, now, sessions } = options
  const begin = now - days * DAY_MS
  const writer = new SeedWriter(db)
  const keys = SEED_KEYS.map((key, index) => ({
    ...key,
    id: `key_${random.hex(24)}`,
    createdAt: begin - (SEED_KEYS.length - index) * 60_000,
    revokedAt: key.revokedAfter === null ? null : Math.round(begin + key.revokedAfter * (now - begin)),
  }))
  for (const key of keys) writer.addKey(key)
  for (const moment of momentsUntil(now, options, random)) {
    const key = random.pick(keys.filter(({ revokedAt }) => revokedAt === null || revokedAt > moment))
    const { userAgent } = random.pick(key.clients)
    const place = sessions.place({ keyId: key.id, client: userAgent, tag: key.tag }, moment)
    const arrival = { createdAt: place.createdAt, keyId: key.id, client: userAgent, now }
    const request = drawRequest(random, arrival, place.step.model, place.step.context)
    writer.addRequest(withSession(request, place, now))
  }
  writer.finish()
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      'data-dir': { type: 'string' },
      requests: { type: 'string', default: '4000' },
      days: { type: 'string', default: '90' },
      number: { type: 'string', default: '1' },
    },
  })
  const dataDir = values['data-dir']
  if (dataDir === undefined) throw new Error('Which folder? Pass --data-dir D.')
  const begun = performance.now()
  seed(dataDir, {
    requests: count(values.requests),
    days: count(values.days),
    number: count(values.number),
    now: Date.now(),
  })
  console.log(
    `${values.requests} requests in ${dataDir}, in ${((performance.now() - begun) / 1000).toFixed(1)} s.`,
  )
}

function count(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`${text} is not a count.`)
  return value
}
