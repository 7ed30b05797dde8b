// The reports of crashes in the data dir. They are written immediately and synchronously, as the process may be about to end.
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeFileAtomic } from '../../gateway/compose/host-api.ts'
import { CrashReport } from '../../shared/desktop/crashes.ts'

/** More would only say the same. */
export const MAX_REPORTS = 10

const FILE = /^[\w-]+\.json$/

export function crashDir(dataDir: string): string {
  return join(dataDir, 'crashes')
}

/** The dumps of native crashes, which Chromium's crash handler writes. */
export function dumpDir(dataDir: string): string {
  return join(crashDir(dataDir), 'dumps')
}

/** Newest first. */
export function readCrashes(dataDir: string): CrashReport[] {
  return listFiles(dataDir).flatMap((name) => {
    try {
      return [CrashReport.parse(JSON.parse(readFileSync(join(crashDir(dataDir), name), 'utf8')))]
    } catch {
      return []
    }
  })
}

export function markCrashesSeen(dataDir: string): void {
  for (const report of readCrashes(dataDir)) if (!report.seen) writeCrash(dataDir, { ...report, seen: true })
}

/** Stores a report, and removes the oldest ones. Never throws: a crash must not cause another. */
export function writeCrash(dataDir: string, report: CrashReport): void {
  try {
    const dir = crashDir(dataDir)
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    const path = join(dir, `${report.id}.json`)
    writeFileAtomic(path, `${JSON.stringify(report, null, 2)}\n`)
    chmodSync(path, 0o600)
    for (const name of listFiles(dataDir).slice(MAX_REPORTS)) rmSync(join(dir, name), { force: true })
  } catch {
    // The disk may be full; the log has the error.
  }
}

export function removeCrash(dataDir: string, id: string): void {
  const name = `${id}.json`
  if (FILE.test(name)) rmSync(join(crashDir(dataDir), name), { force: true })
}

/**
 * Removes the dumps, and returns whether there was one: a dump contains memory, in which there may be prompts and secrets.
 * Never throws: the crash handler may hold a file, which is removed the next time.
 */
export function takeDumps(dataDir: string): boolean {
  let hasDump = false
  try {
    for (const name of readdirSync(dumpDir(dataDir), { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.dmp')) continue
      hasDump = true
      rmSync(join(dumpDir(dataDir), name), { force: true })
    }
  } catch {
    // No dumps, or one that is held.
  }
  return hasDump
}

/** Newest first: ids sort by time. */
function listFiles(dataDir: string): string[] {
  try {
    return readdirSync(crashDir(dataDir))
      .filter((name) => FILE.test(name))
      .toSorted((a, b) => b.localeCompare(a))
  } catch {
    return []
  }
}
