// Notes in the data dir that the program runs, so that the next start knows whether it ended in order.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { writeFileAtomic } from '../../gateway/platform/durable-files.ts'
import type { CrashReport } from '../../shared/crashes.ts'
import { readCrashes, writeCrash } from './crash-reports.ts'
import { describeError } from './error-details.ts'
import { createReport, describeRuntime, type RunNote, readNote, type WatchdogData } from './run-note.ts'

const FILE = 'running.json'
/** The main thread shows with this period that it is not stuck. */
const BEAT_MS = 5_000
/** Longer than any work that the main thread does at a time. */
const HANG_MS = 20_000

// The built app starts a thread from the file beside its chunk; the sources from the source file.
const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? './watchdog-worker.ts' : './watchdog-worker.js',
  import.meta.url,
)

export interface RunWatch {
  /** The newest report that the user has not seen; null if there is none. */
  readonly lastCrash: CrashReport | null
  /** Stores a report of this run. */
  record(crash: Pick<CrashReport, 'kind' | 'summary' | 'details'>): void
  recordError(thrown: unknown): void
  /** Starts the thread that sees when the main thread hangs, if it does not run yet. */
  startWatchdog(times?: { beatMs: number; hangMs: number }): void
  /** The program ends in order. */
  end(): void
}

/**
 * Begins a run. The data dir must be locked by this process. `nativeCrash` describes a crash of native code in the last run,
 * if the system saw one.
 */
export function watchRun(
  dataDir: string,
  run: Pick<RunNote, 'program' | 'version'>,
  nativeCrash: () => string | null = () => null,
): RunWatch {
  const path = join(dataDir, FILE)
  const native = nativeCrash()
  const before = readNote(path)
  if (before) reportEnd(dataDir, before, native)
  const note: RunNote = { ...run, runtime: describeRuntime(), startedAt: new Date().toISOString() }
  writeFileAtomic(path, `${JSON.stringify(note)}\n`)
  let stopWatchdog: (() => void) | null = null
  const record: RunWatch['record'] = (crash) => writeCrash(dataDir, createReport(note, Date.now(), crash))
  return {
    lastCrash: readCrashes(dataDir).find(({ seen }) => !seen) ?? null,
    record,
    recordError: (thrown) =>
      record({
        kind: 'error',
        summary: 'Tollgate ended because of an error that it did not expect.',
        details: describeError(thrown),
      }),
    startWatchdog(times = { beatMs: BEAT_MS, hangMs: HANG_MS }) {
      stopWatchdog ??= startWatchdog({ ...times, dataDir, notePath: path, note })
    },
    end() {
      stopWatchdog?.()
      rmSync(path, { force: true })
    },
  }
}

function startWatchdog({ beatMs, ...data }: Omit<WatchdogData, 'beats'>): () => void {
  const beats = new Int32Array(new SharedArrayBuffer(4))
  const workerData: WatchdogData = { ...data, beatMs, beats }
  const worker = new Worker(WORKER, {
    name: 'watchdog',
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
  })
  worker.unref()
  worker.on('error', () => {})
  const timer = setInterval(() => Atomics.add(beats, 0, 1), beatMs).unref()
  return () => {
    clearInterval(timer)
    void worker.terminate()
  }
}

/** The last run did not end in order. One that has reported why is not reported again. */
function reportEnd(
  dataDir: string,
  { modifiedMs, ...note }: RunNote & { modifiedMs: number },
  native: string | null,
) {
  const ends: readonly CrashReport['kind'][] = ['error', 'native', 'stopped']
  const isReported = readCrashes(dataDir).some(({ at, kind }) => at >= note.startedAt && ends.includes(kind))
  if (isReported) return
  writeCrash(
    dataDir,
    createReport(
      note,
      modifiedMs,
      native === null
        ? {
            kind: 'stopped',
            summary: 'Tollgate was ended from outside: by the system, by a power cut, or by force.',
            details: '',
          }
        : { kind: 'native', summary: 'Tollgate crashed in native code.', details: native },
    ),
  )
}
