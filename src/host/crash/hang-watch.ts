// Detects a hang of the main thread. The store's writer thread runs this: it waits for the main thread then, and a separate
// thread would take 9 MB. It loads no schemas, as each thread would have them in memory again.
import { utimesSync } from 'node:fs'
import type { CrashReport } from '../../shared/desktop/crashes.ts'
import { ENDED } from './beats.ts'
import { readMainStack } from './main-stack.ts'
import { createReport, type RunNote, writeCrash } from './write-report.ts'

/** A main thread that runs JavaScript answers immediately; one that waits for the system does not. */
const STACK_MS = 5_000

export interface HangWatchData {
  dataDir: string
  notePath: string
  note: RunNote
  beats: Int32Array
  beatMs: number
  hangMs: number
}

/** Also renews the time of the note that the program runs. */
export function run({ dataDir, notePath, note, beats, beatMs, hangMs }: HangWatchData): void {
  let last = Atomics.load(beats, 0)
  let aliveAt = performance.now()
  let lookedAt = aliveAt
  let report: CrashReport | null = null
  const timer = setInterval(() => {
    const now = performance.now()
    const beat = Atomics.load(beats, 0)
    // A computer that slept stops both threads, and a long write this one: what counts is only the time during which it ran.
    const slept = now - lookedAt > 3 * beatMs
    lookedAt = now
    if (beat === ENDED) clearInterval(timer)
    else if (beat !== last) {
      if (report) writeCrash(dataDir, describe((now - aliveAt) / 1000, report))
      last = beat
      aliveAt = now
      report = null
      renew(notePath)
    } else if (slept && report === null) {
      aliveAt = now
    } else if (report === null && now - aliveAt >= hangMs) {
      const hang = createReport(note, Date.now(), {
        kind: 'hang',
        summary: `Tollgate did not respond for more than ${Math.round(hangMs / 1000)} seconds.`,
        details: '',
      })
      report = hang
      // First without the stack: the process may be ended at any time.
      writeCrash(dataDir, hang)
      void readMainStack(STACK_MS).then((stack) => {
        const wentOn = report !== hang || Atomics.load(beats, 0) !== beat
        if (wentOn || stack === '') return
        report = { ...hang, details: `The main thread was in:\n${stack}` }
        writeCrash(dataDir, report)
      })
    }
  }, beatMs).unref()
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
