// Writes the reports of crashes into the data dir: immediately and synchronously, as the process may be about to end.
import { chmodSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeFileAtomic } from '../../gateway/platform/durable-files.ts'
import type { CrashReport } from '../../shared/desktop/crashes.ts'

/** The note in the data dir about a run. */
export type RunNote = Pick<CrashReport, 'program' | 'version' | 'runtime'> & { startedAt: string }

let count = 0

/** Ids sort by time. */
export function createReport(
  { startedAt, ...run }: RunNote,
  atMs: number,
  crash: Pick<CrashReport, 'kind' | 'summary' | 'details'>,
): CrashReport {
  const at = new Date(atMs).toISOString()
  // The window's own page has said so.
  const seen = crash.kind === 'window' || crash.kind === 'process'
  const uptimeSeconds = Math.max(0, Math.round((atMs - Date.parse(startedAt)) / 1000))
  return {
    id: `${at.replaceAll(/[^\dTZ]/g, '-')}-${String(++count).padStart(4, '0')}-${crash.kind}`,
    at,
    ...crash,
    ...run,
    uptimeSeconds,
    seen,
  }
}

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
    for (const id of listCrashes(dataDir).slice(MAX_REPORTS)) removeCrash(dataDir, id)
  } catch {
    // The disk may be full; the log has the error.
  }
}

/** Their ids, newest first. */
export function listCrashes(dataDir: string): string[] {
  try {
    return readdirSync(crashDir(dataDir))
      .filter((name) => FILE.test(name))
      .map((name) => name.slice(0, -'.json'.length))
      .toSorted((a, b) => b.localeCompare(a))
  } catch {
    return []
  }
}

export function removeCrash(dataDir: string, id: string): void {
  const name = `${id}.json`
  if (FILE.test(name)) rmSync(join(crashDir(dataDir), name), { force: true })
}
