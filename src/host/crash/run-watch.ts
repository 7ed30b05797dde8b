// Notes in the data dir that the program runs, so that the next start knows whether it ended in order.
import { rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { type Gateway, redactSecrets, writeFileAtomic } from '../../gateway/compose/host-api.ts'
import type { CrashReport } from '../../shared/desktop/crashes.ts'
import { type SerializedError, serializeError } from '../serialize-error.ts'
import { type BeatTimes, type Heartbeat, startBeating } from './beats.ts'
import { readCrashes } from './crash-reports.ts'
import type { HangWatchData } from './hang-watch.ts'
import { describeRuntime, readNote } from './run-note.ts'
import { createReport, type RunNote, writeCrash } from './write-report.ts'

const FILE = 'running.json'
/** The main thread shows with this period that it is not stuck. */
const BEAT_MS = 5_000
/** Longer than any work that the main thread does at a time. */
const HANG_MS = 20_000

// The built app has a file of it next to its chunk.
const WATCH = new URL(
  import.meta.url.endsWith('.ts') ? './hang-watch.ts' : './hang-watch.js',
  import.meta.url,
)

export interface RunWatch {
  /** The newest report that the user has not seen; null if there is none. */
  readonly lastCrash: CrashReport | null
  /** Stores a report of this run. */
  record(crash: Pick<CrashReport, 'kind' | 'summary' | 'details'>): void
  recordError(thrown: unknown): void
  /** Lets a thread of the gateway see from now on when the main thread hangs. */
  watchForHangs(runInThread: Gateway['runInThread'], times?: BeatTimes): void
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
  let beating: Heartbeat | null = null
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
    watchForHangs(runInThread, times = { beatMs: BEAT_MS, hangMs: HANG_MS }) {
      if (beating !== null) return
      beating = startBeating(times.beatMs)
      const data: HangWatchData = { ...times, dataDir, notePath: path, note, beats: beating.beats }
      runInThread(WATCH, data)
    },
    end() {
      beating?.end()
      rmSync(path, { force: true })
    },
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

// The part of an error that goes into a report.

const MAX_MESSAGE = 200
const MAX_FRAMES = 20

/** Errors whose messages V8 and the system write. */
const KNOWN = ['TypeError', 'RangeError', 'ReferenceError']

/**
 * The error's name, code and functions, and those of its causes. A message may quote a prompt: of messages that V8 and the
 * system write, what they quote is left out, and of all others everything. The log on this computer has them.
 */
export function describeError(thrown: unknown): string {
  return redactSecrets(formatError(serializeError(thrown))).replaceAll(homedir(), '~')
}

function formatError({ type, code, message, stack, cause }: SerializedError): string {
  const frames = (stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  const isSafe = KNOWN.includes(type) || (code !== undefined && /^E[A-Z]+$/.test(code))
  const head = `${type}${code === undefined ? '' : ` (${code})`}${isSafe ? `: ${withoutQuotes(message)}` : ''}`
  const lines = [head, ...frames.slice(0, MAX_FRAMES)]
  return [...lines, ...(cause ? [`caused by ${formatError(cause)}`] : [])].join('\n')
}

function withoutQuotes(message: string): string {
  const [line = ''] = message.split('\n', 1)
  const text = line.replaceAll(/(["'`“‘«])[\s\S]*?(["'`”’»]|$)/g, '$1…$1').replaceAll(/[{[][\s\S]*$/g, '…')
  return text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}…` : text
}
