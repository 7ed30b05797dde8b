// Reads the files of other programs: never writes, and goes on where one cannot be read. A thread or a command does nothing else
// meanwhile, so files are read without a detour through other threads.
import { closeSync, openSync, readSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { isObject, type JsonObject } from '../../../shared/values/json.ts'
import { attempt } from './list-files.ts'
import type { Sink } from './readers/reader.ts'

const CHUNK_BYTES = 1024 * 1024
const MAX_LINE_BYTES = 8 * CHUNK_BYTES
/** The beginning that is kept of a line that is too long, to see whether it could be usage. */
const HEAD_BYTES = 4_096
const MAX_FILE_BYTES = 64 * CHUNK_BYTES
const NEWLINE = 10

interface LineReading {
  /** Whether a line may have usage, before it is parsed. Of a line that is too long it sees the beginning only. */
  wants(line: Buffer, isCut: boolean): boolean
  visit(line: JsonObject): void
}

/** Visits the wanted lines of a file of JSON lines. One that is damaged or too long costs no other. */
export async function readJsonLines(path: string, { wants, visit }: LineReading, sink: Sink): Promise<void> {
  const file = await attempt(() => openSync(path, 'r'), sink)
  if (file === null) return
  try {
    readLines(file, (line, { isCut, isEnded }) => {
      if (!wants(line, isCut)) return
      if (isCut) {
        sink.skip('long-line')
        return
      }
      const value = parseJsonText(line.toString('utf8'))
      if (value !== null) visit(value)
      // The last line may still be written.
      else if (isEnded) sink.skip('damaged-line')
    })
  } catch {
    sink.skip('unreadable')
  } finally {
    closeSync(file)
  }
}

interface LineState {
  isCut: boolean
  /** Whether a newline follows. */
  isEnded: boolean
}

/** One for all files, which are read one after another. */
let chunk: Buffer | null = null

function readLines(file: number, visit: (line: Buffer, state: LineState) => void): void {
  chunk ??= Buffer.allocUnsafe(CHUNK_BYTES)
  let held: Buffer[] = []
  let heldBytes = 0
  let isCut = false
  const hold = (part: Buffer) => {
    if (isCut) return
    heldBytes += part.length
    isCut = heldBytes > MAX_LINE_BYTES
    held.push(Buffer.from(part))
    if (isCut) held = [Buffer.concat(held, HEAD_BYTES)]
  }
  for (;;) {
    const bytesRead = readSync(file, chunk, 0, CHUNK_BYTES, null)
    if (bytesRead === 0) break
    const bytes = chunk.subarray(0, bytesRead)
    let start = 0
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      const part = bytes.subarray(start, end)
      const isWhole = held.length === 0
      if (!isWhole) hold(part)
      visit(isWhole ? part : Buffer.concat(held), { isCut, isEnded: true })
      held = []
      heldBytes = 0
      isCut = false
      start = end + 1
    }
    if (start < bytesRead) hold(bytes.subarray(start))
  }
  if (held.length > 0) visit(Buffer.concat(held), { isCut, isEnded: false })
}

/** Null for anything but an object. */
export function parseJsonText(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

/** A file that is one JSON object; null if it is missing, too large, or not JSON. */
export async function readJsonFile(path: string, sink: Sink): Promise<JsonObject | null> {
  const bytes = await attempt(async () => {
    const { size } = await stat(path)
    return size > MAX_FILE_BYTES ? size : readFile(path)
  }, sink)
  if (typeof bytes === 'number') sink.skip('large-file')
  if (bytes === null || typeof bytes === 'number') return null
  const value = parseJsonText(bytes.toString('utf8'))
  if (value === null) sink.skip('damaged-file')
  return value
}
