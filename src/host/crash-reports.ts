// The reports of crashes in the data dir, and a note that the program runs, by which the next start knows whether it ended in order.
// Reports are written immediately and synchronously, as the process may be about to end.
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimes } from 'node:fs'
import { homedir, release } from 'node:os'
import { join } from 'node:path'
import type { z } from 'zod'
import { redactSecrets, writeFileAtomic } from '../gateway/compose/host-api.ts'
import { CrashReport } from '../shared/desktop/crashes.ts'
import { type SerializedError, serializeError } from './serialize-error.ts'

/** More would only say the same. */
export const MAX_REPORTS = 10
/** How often the note is renewed, which tells when a run that was killed ended. */
const RENEW_MS = 30_000
const REPORT_FILE = /^[\w-]+\.json$/

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

export function crashDir(dataDir: string): string {
  return join(dataDir, 'crashes')
}

/** The dumps of native crashes, which Chromium's crash handler writes. */
export function dumpDir(dataDir: string): string {
  return join(crashDir(dataDir), 'dumps')
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
  const path = join(dataDir, 'running.json')
  reportLastRun(dataDir, path, tookDump())
  const runtime = `${engineVersions()}, ${process.platform} ${release()} ${process.arch}`
  const note: RunNote = { ...run, runtime, startedAt: new Date().toISOString() }
  writeFileAtomic(path, `${JSON.stringify(note)}\n`)
  // The data dir may be on a disk that was removed.
  const renewing = setInterval(() => utimes(path, new Date(), new Date(), () => {}), RENEW_MS).unref()
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
  const summary = isNative
    ? 'Tollgate crashed in native code.'
    : 'Tollgate was ended from outside: by the system, by a power cut, or by force.'
  const kind = isNative ? 'native' : 'stopped'
  writeCrash(dataDir, createReport(note, endedMs, { kind, summary, details: '' }))
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

/** Stores a report, and removes the oldest ones. Never throws: a crash must not cause another. */
function writeCrash(dataDir: string, report: CrashReport): void {
  try {
    mkdirSync(crashDir(dataDir), { recursive: true, mode: 0o700 })
    const path = join(crashDir(dataDir), `${report.id}.json`)
    writeFileAtomic(path, `${JSON.stringify(report, null, 2)}\n`)
    chmodSync(path, 0o600)
    for (const { id } of readCrashes(dataDir).slice(MAX_REPORTS)) removeCrash(dataDir, id)
  } catch {
    // The disk may be full; the log has the error.
  }
}

/** Newest first: ids sort by time. */
export function readCrashes(dataDir: string): CrashReport[] {
  let names: string[] = []
  try {
    names = readdirSync(crashDir(dataDir)).filter((name) => REPORT_FILE.test(name))
  } catch {
    // There was no crash.
  }
  return names
    .toSorted()
    .reverse()
    .flatMap((name) => {
      try {
        return [CrashReport.parse(JSON.parse(readFileSync(join(crashDir(dataDir), name), 'utf8')))]
      } catch {
        return []
      }
    })
}

export function markCrashesSeen(dataDir: string): void {
  for (const report of readCrashes(dataDir)) if (!report.seen) writeCrash(dataDir, { ...report, seen: true })
}

export function removeCrash(dataDir: string, id: string): void {
  const name = `${id}.json`
  if (REPORT_FILE.test(name)) rmSync(join(crashDir(dataDir), name), { force: true })
}

/**
 * Removes the dumps, and returns whether there was one: a dump contains memory, in which there may be prompts and secrets.
 * Never throws: the crash handler may hold a file, which is removed the next time.
 */
export function takeDumps(dataDir: string): boolean {
  let hasDump = false
  try {
    for (const name of readdirSync(dumpDir(dataDir), { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.dmp')) continue
      hasDump = true
      rmSync(join(dumpDir(dataDir), name), { force: true })
    }
  } catch {
    // No dumps, or one that is held.
  }
  return hasDump
}

/** "Electron 40.1.0, Node.js 24.11.1" */
export function engineVersions(): string {
  const { electron, node } = process.versions
  return `${electron === undefined ? '' : `Electron ${electron}, `}Node.js ${node}`
}

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

function formatError({ type, code, message, stack = '', cause }: SerializedError): string {
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line))
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
