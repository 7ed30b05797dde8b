// The note in the data dir that the program runs, and reports of a run.
import { readFileSync, statSync } from 'node:fs'
import { release } from 'node:os'
import { z } from 'zod'
import type { CrashReport } from '../../shared/crashes.ts'

const RunNote = z.object({
  program: z.enum(['desktop', 'serve']),
  version: z.string(),
  runtime: z.string(),
  startedAt: z.string(),
})
export type RunNote = z.infer<typeof RunNote>

/** What the watchdog thread is given. */
export interface WatchdogData {
  dataDir: string
  notePath: string
  note: RunNote
  /** The main thread adds one with each period. */
  beats: Int32Array
  beatMs: number
  hangMs: number
}

let count = 0

/** A report of a run. Ids sort by time. */
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

/** The note of a run that did not end in order, with the time at which it was last renewed; null if there is none. */
export function readNote(path: string): (RunNote & { modifiedMs: number }) | null {
  try {
    const note = RunNote.parse(JSON.parse(readFileSync(path, 'utf8')))
    return { ...note, modifiedMs: statSync(path).mtimeMs }
  } catch {
    return null
  }
}

export function describeRuntime(): string {
  const { electron, node } = process.versions
  const host = electron === undefined ? '' : `Electron ${electron}, `
  return `${host}Node.js ${node}, ${process.platform} ${release()} ${process.arch}`
}
