// The note in the data dir that the program runs.
import { readFileSync, statSync } from 'node:fs'
import { release } from 'node:os'
import { z } from 'zod'
import type { RunNote } from './write-report.ts'

const RunNoteFile: z.ZodType<RunNote> = z.object({
  program: z.enum(['desktop', 'serve']),
  version: z.string(),
  runtime: z.string(),
  startedAt: z.string(),
})

/** The note of a run that did not end in order, with the time at which it was last renewed; null if there is none. */
export function readNote(path: string): (RunNote & { modifiedMs: number }) | null {
  try {
    const note = RunNoteFile.parse(JSON.parse(readFileSync(path, 'utf8')))
    return { ...note, modifiedMs: statSync(path).mtimeMs }
  } catch {
    return null
  }
}

export function describeRuntime(): string {
  return `${engineVersions()}, ${process.platform} ${release()} ${process.arch}`
}

/** "Electron 40.1.0, Node.js 24.11.1" */
export function engineVersions(): string {
  const { electron, node } = process.versions
  return `${electron === undefined ? '' : `Electron ${electron}, `}Node.js ${node}`
}
