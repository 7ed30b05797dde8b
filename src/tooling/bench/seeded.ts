// Data dirs with many requests. Creating one takes a while, so each is kept in the ignored cache folder and copied for use.
import { createHash } from 'node:crypto'
import {
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { cacheDir, root } from '../commands.ts'
import { seed } from '../seed/seed.ts'

/** Shorter than the retention time, so that no request is deleted. */
const DAYS = 60
/** The last requests should be of today. */
const MAX_AGE_MS = 12 * 60 * 60_000
const Stamp = z.object({ version: z.string(), at: z.number() })
/** The sources that decide the contents of the database. */
const SOURCES = ['src/gateway/store', 'src/tooling/seed']

/** Copies a data dir with so many requests to a folder that does not exist yet. */
export function copySeeded(requests: number, to: string): void {
  const dir = join(cacheDir, 'seeded', String(requests))
  const stamp = join(dir, 'stamp.json')
  const version = hashSources()
  if (!isUsable(stamp, version)) {
    rmSync(dir, { recursive: true, force: true })
    mkdirSync(dir, { recursive: true })
    process.stderr.write(`Seeding ${requests.toLocaleString('en-US')} requests…\n`)
    seed(join(dir, 'data'), { requests, days: DAYS, now: Date.now() })
    writeFileSync(stamp, JSON.stringify({ version, at: Date.now() }))
  }
  // Where the file system can share blocks, nothing is copied.
  cpSync(join(dir, 'data'), to, { recursive: true, mode: constants.COPYFILE_FICLONE })
}

function isUsable(stamp: string, version: string): boolean {
  if (!existsSync(stamp)) return false
  const seeded = Stamp.parse(JSON.parse(readFileSync(stamp, 'utf8')))
  return seeded.version === version && Date.now() - seeded.at < MAX_AGE_MS
}

function hashSources(): string {
  const hash = createHash('sha256')
  for (const dir of SOURCES)
    for (const name of readdirSync(join(root, dir)).toSorted())
      if (name.endsWith('.ts') && !name.endsWith('.test.ts')) hash.update(readFileSync(join(root, dir, name)))
  return hash.digest('hex')
}
