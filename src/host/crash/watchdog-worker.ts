// The thread that sees when the main thread hangs. It also renews the time of the note that the program runs.
import { utimesSync } from 'node:fs'
import { workerData } from 'node:worker_threads'
import type { CrashReport } from '../../shared/crashes.ts'
import { writeCrash } from './crash-reports.ts'
import { createReport, type WatchdogData } from './run-note.ts'

watch(workerData)

function watch({ dataDir, notePath, note, beats, beatMs, hangMs }: WatchdogData): void {
  let last = Atomics.load(beats, 0)
  let aliveAt = performance.now()
  let lookedAt = aliveAt
  let report: CrashReport | null = null
  setInterval(() => {
    const now = performance.now()
    const beat = Atomics.load(beats, 0)
    // A computer that slept stops both threads: what counts is only the time during which this one ran.
    const slept = now - lookedAt > 3 * beatMs
    lookedAt = now
    if (beat !== last) {
      if (report) writeCrash(dataDir, describe((now - aliveAt) / 1000, report))
      last = beat
      aliveAt = now
      report = null
      renew(notePath)
    } else if (slept && report === null) {
      aliveAt = now
    } else if (report === null && now - aliveAt >= hangMs) {
      report = createReport(note, Date.now(), {
        kind: 'hang',
        summary: `Tollgate did not respond for more than ${Math.round(hangMs / 1000)} seconds.`,
        details: '',
      })
      writeCrash(dataDir, report)
    }
  }, beatMs)
}

function describe(seconds: number, report: CrashReport): CrashReport {
  return {
    ...report,
    summary: `Tollgate did not respond for ${Math.round(seconds)} seconds, and then went on.`,
  }
}

function renew(path: string): void {
  const now = new Date()
  try {
    utimesSync(path, now, now)
  } catch {
    // The run has just ended.
  }
}
