// A report of a run, from what is known of the run and of its crash.
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
