// The reports of crashes in the data dir: written at once and synchronously, as the process may be about to end.
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeFileAtomic } from '../../gateway/platform/durable-files.ts'
import { CrashReport } from '../../shared/crashes.ts'

/** More would only say the same. */
export const MAX_REPORTS = 10

const FILE = /^[\w-]+\.json$/

export function crashDir(dataDir: string): string {
  return join(dataDir, 'crashes')
}

/** Stores a report, and removes the oldest ones. Never throws: a crash must not cause another. */
export function writeCrash(dataDir: string, report: CrashReport): void {
  try {
    const dir = crashDir(dataDir)
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    const path = join(dir, `${report.id}.json`)
    writeFileAtomic(path, `${JSON.stringify(report, null, 2)}\n`)
    chmodSync(path, 0o600)
    for (const { id } of readCrashes(dataDir).slice(MAX_REPORTS)) removeCrash(dataDir, id)
  } catch {
    // The disk may be full; the log has the error.
  }
}

/** Newest first. */
export function readCrashes(dataDir: string): CrashReport[] {
  let names: string[]
  try {
    names = readdirSync(crashDir(dataDir)).filter((name) => FILE.test(name))
  } catch {
    return []
  }
  return names
    .flatMap((name) => {
      try {
        return [CrashReport.parse(JSON.parse(readFileSync(join(crashDir(dataDir), name), 'utf8')))]
      } catch {
        return []
      }
    })
    .toSorted((a, b) => b.id.localeCompare(a.id))
}

export function removeCrash(dataDir: string, id: string): void {
  const name = `${id}.json`
  if (FILE.test(name)) rmSync(join(crashDir(dataDir), name), { force: true })
}

export function markCrashesSeen(dataDir: string): void {
  for (const report of readCrashes(dataDir)) if (!report.seen) writeCrash(dataDir, { ...report, seen: true })
}
