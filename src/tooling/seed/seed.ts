// Owns the making of a data dir that looks used, for development: `node src/tooling/seed/seed.ts --data-dir D`. The same
// number always makes the same requests.
import { lstatSync, mkdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import Sqlite from 'better-sqlite3'
import { createPrivateFile, databasePath, syncFile } from '../../gateway/store/files.ts'
import { migrate } from '../../gateway/store/migrations.ts'
import { putKeptZone } from '../../gateway/store/rollup-slots.ts'
import { systemTimeZone } from '../../shared/calendar.ts'
import { SEED_KEYS } from './keys.ts'
import { seedModels } from './models.ts'
import { type Chance, chanceOf } from './random.ts'
import { drawRequest } from './request.ts'
import { openBook } from './seed-writer.ts'
import { momentsUntil } from './times.ts'

const DAY_MS = 24 * 60 * 60_000
const CACHE_KIB = 512 * 1024

export interface SeedOptions {
  requests: number
  days: number
  /** The last moment of all, in milliseconds since the epoch. */
  now: number
  /** All hours, models and keys alike, instead of as people work. */
  even?: boolean
  /** Whose days are summed up from the start; the system's when absent. */
  timeZone?: string
  /** What all chance follows from. */
  number?: number
}

/** Makes the folder's database. Throws when there is one already. Not durable until it returns. */
export function seed(dataDir: string, options: SeedOptions): void {
  const { requests, days, now, even = false, timeZone = systemTimeZone(), number = 1 } = options
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const path = databasePath(dataDir)
  if (lstatSync(path, { throwIfNoEntry: false }))
    throw new Error(`There is a database in ${dataDir} already.`)
  createPrivateFile(path)
  const db = new Sqlite(path)
  try {
    // Should this be cut off, the folder is thrown away: there is nothing to roll back to.
    db.pragma('journal_mode = OFF')
    db.pragma('synchronous = OFF')
    db.pragma(`cache_size = -${CACHE_KIB}`)
    migrate(db, now - days * DAY_MS)
    db.transaction(() => {
      putKeptZone(db, timeZone)
      const indexes = dropIndexes(db)
      fill(db, { requests, days, now, even, timeZone }, chanceOf(number))
      for (const sql of indexes) db.exec(sql)
    })()
  } finally {
    db.close()
  }
  syncFile(path)
}

/** Making an index of what is there takes a fraction of keeping it while rows come. Returns how to make them again. */
function dropIndexes(db: Sqlite.Database): string[] {
  const indexes = db
    .prepare<[], { name: string; sql: string }>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'requests' AND sql IS NOT NULL",
    )
    .all()
  for (const { name } of indexes) db.exec(`DROP INDEX ${name}`)
  return indexes.map(({ sql }) => sql)
}

function fill(db: Sqlite.Database, options: Required<Omit<SeedOptions, 'number'>>, chance: Chance): void {
  const { days, now, even, timeZone } = options
  const begin = now - days * DAY_MS
  const models = seedModels(now, even)
  const book = openBook(db, { timeZone, now, chance })
  const keys = SEED_KEYS.map((key, index) => ({
    ...key,
    id: `key_${chance.hex(24)}`,
    createdAt: begin - (SEED_KEYS.length - index) * 60_000,
    revokedAt: key.revokedAfter === null ? null : Math.round(begin + key.revokedAfter * (now - begin)),
    lastUsedAt: null,
    spendNano: 0,
    weight: even ? Math.min(key.weight, 1) : key.weight,
  }))
  for (const key of keys) book.addKey(key)
  for (const moment of momentsUntil(now, options, chance)) {
    const key = chance.pick(keys.filter(({ revokedAt }) => revokedAt === null || revokedAt > moment))
    const { userAgent } = chance.pick(key.clients)
    book.addRequest(drawRequest(chance, moment, chance.pick(models)), key, userAgent)
  }
  book.end()
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      'data-dir': { type: 'string' },
      requests: { type: 'string', default: '4000' },
      days: { type: 'string', default: '90' },
      even: { type: 'boolean', default: false },
      number: { type: 'string', default: '1' },
    },
  })
  const dataDir = values['data-dir']
  if (dataDir === undefined) throw new Error('Say which folder to make: --data-dir D.')
  const begun = performance.now()
  seed(dataDir, {
    requests: count(values.requests),
    days: count(values.days),
    even: values.even,
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
