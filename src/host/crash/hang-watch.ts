// Detects a hang of the main thread. The store's writer thread runs this: it waits for the main thread then, and a separate
// thread would take 9 MB. It loads no schemas, as each thread would have them in memory again.
import { utimesSync } from 'node:fs'
import type { CrashReport } from '../../shared/desktop/crashes.ts'
import { type BeatTimes, watchBeats } from './beats.ts'
import { createReport, type RunNote, writeCrash } from './write-report.ts'

export interface HangWatchData extends BeatTimes {
  dataDir: string
  notePath: string
  note: RunNote
  beats: Int32Array
}

/** Also renews the time of the note that the program runs. */
export function run({ dataDir, notePath, note, beats, ...times }: HangWatchData): void {
  let report: CrashReport | null = null
  watchBeats(beats, times, {
    onBeat: () => renew(notePath),
    onHang() {
      report = createReport(note, Date.now(), {
        kind: 'hang',
        summary: `Tollgate did not respond for more than ${Math.round(times.hangMs / 1000)} seconds.`,
        details: '',
      })
      writeCrash(dataDir, report)
    },
    onRecovery(afterMs) {
      if (report) writeCrash(dataDir, describe(afterMs / 1000, report))
      report = null
    },
  })
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
