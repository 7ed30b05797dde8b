// Notes in the data dir that the program runs, so that the next start knows whether it ended in order.
import { readFileSync, rmSync, statSync, utimesSync } from 'node:fs'
import { homedir, release } from 'node:os'
import { join } from 'node:path'
import type { z } from 'zod'
import { redactSecrets, writeFileAtomic } from '../../gateway/compose/host-api.ts'
import { CrashReport } from '../../shared/desktop/crashes.ts'
import { type SerializedError, serializeError } from '../serialize-error.ts'
import { readCrashes, writeCrash } from './crash-reports.ts'

const FILE = 'running.json'
/** How often the note is renewed, which tells when a run that was killed ended. */
const RENEW_MS = 30_000

type Crash = Pick<CrashReport, 'kind' | 'summary' | 'details'>

const RunNote = CrashReport.pick({ program: true, version: true, runtime: true }).extend({
  startedAt: CrashReport.shape.at,
})
type RunNote = z.infer<typeof RunNote>

export interface RunWatch {
  /** The newest report that the user has not seen; null if there is none. */
  readonly lastCrash: CrashReport | null
  /** Stores a report of this run. */
  record(crash: Crash): void
  recordError(thrown: unknown): void
  /** The program ends in order. */
  end(): void
}

/**
 * Begins a run. The data dir must be locked by this process. `tookDump`: whether native code crashed in the last run, as far as
 * the system saw it.
 */
export function watchRun(
  dataDir: string,
  run: Pick<RunNote, 'program' | 'version'>,
  tookDump: () => boolean = () => false,
): RunWatch {
  const path = join(dataDir, FILE)
  reportLastRun(dataDir, path, tookDump())
  const note: RunNote = { ...run, runtime: describeRuntime(), startedAt: new Date().toISOString() }
  writeFileAtomic(path, `${JSON.stringify(note)}\n`)
  const renewing = setInterval(() => renew(path), RENEW_MS).unref()
  const record = (crash: Crash) => writeCrash(dataDir, createReport(note, Date.now(), crash))
  return {
    lastCrash: readCrashes(dataDir).find(({ seen }) => !seen) ?? null,
    record,
    recordError: (thrown) =>
      record({
        kind: 'error',
        summary: 'Tollgate ended because of an error that it did not expect.',
        details: describeError(thrown),
      }),
    end() {
      clearInterval(renewing)
      rmSync(path, { force: true })
    },
  }
}

/** Reports a run that did not end in order, unless it has reported why. */
function reportLastRun(dataDir: string, path: string, isNative: boolean): void {
  let note: RunNote
  let endedMs: number
  try {
    note = RunNote.parse(JSON.parse(readFileSync(path, 'utf8')))
    endedMs = statSync(path).mtimeMs
  } catch {
    return
  }
  const ends: readonly CrashReport['kind'][] = ['error', 'native', 'stopped']
  if (readCrashes(dataDir).some(({ at, kind }) => at >= note.startedAt && ends.includes(kind))) return
  const crash: Pick<Crash, 'kind' | 'summary'> = isNative
    ? { kind: 'native', summary: 'Tollgate crashed in native code.' }
    : {
        kind: 'stopped',
        summary: 'Tollgate was ended from outside: by the system, by a power cut, or by force.',
      }
  writeCrash(dataDir, createReport(note, endedMs, { ...crash, details: '' }))
}

let count = 0

/** Ids sort by time. */
function createReport({ startedAt, ...run }: RunNote, atMs: number, crash: Crash): CrashReport {
  const at = new Date(atMs).toISOString()
  return {
    id: `${at.replaceAll(/[^\dTZ]/g, '-')}-${String(++count).padStart(4, '0')}-${crash.kind}`,
    at,
    ...crash,
    ...run,
    uptimeSeconds: Math.max(0, Math.round((atMs - Date.parse(startedAt)) / 1000)),
    // The window's own page has said so.
    seen: crash.kind === 'window' || crash.kind === 'process',
  }
}

function renew(path: string): void {
  const now = new Date()
  try {
    utimesSync(path, now, now)
  } catch {
    // The data dir may be on a disk that was removed.
  }
}

function describeRuntime(): string {
  return `${engineVersions()}, ${process.platform} ${release()} ${process.arch}`
}

/** "Electron 40.1.0, Node.js 24.11.1" */
export function engineVersions(): string {
  const { electron, node } = process.versions
  return `${electron === undefined ? '' : `Electron ${electron}, `}Node.js ${node}`
}

// The part of an error that goes into a report.

const MAX_MESSAGE = 200
const MAX_FRAMES = 20
/** Errors whose messages V8 writes. */
const V8_ERRORS = ['TypeError', 'RangeError', 'ReferenceError']

/**
 * The error's name, code and functions, and those of its causes. A message may quote a prompt: of messages that V8 and the
 * system write, what they quote is left out, and of all others everything. The log on this computer has them.
 */
export function describeError(thrown: unknown): string {
  return redactSecrets(formatError(serializeError(thrown))).replaceAll(homedir(), '~')
}

function formatError({ type, code, message, stack, cause }: SerializedError): string {
  const frames = (stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  const isSafe = V8_ERRORS.includes(type) || (code !== undefined && /^E[A-Z]+$/.test(code))
  const head = `${type}${code === undefined ? '' : ` (${code})`}${isSafe ? `: ${removeQuotes(message)}` : ''}`
  const lines = [head, ...frames.slice(0, MAX_FRAMES)]
  return [...lines, ...(cause ? [`caused by ${formatError(cause)}`] : [])].join('\n')
}

function removeQuotes(message: string): string {
  const [line = ''] = message.split('\n', 1)
  const text = line.replaceAll(/(["'`“‘«])[\s\S]*?(["'`”’»]|$)/g, '$1…$1').replaceAll(/[{[][\s\S]*$/g, '…')
  return text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}…` : text
}
