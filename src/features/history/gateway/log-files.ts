// Reads the files of other programs: never writes, and goes on where one cannot be read. A thread or a command does nothing else
// meanwhile, so files are read without a detour through other threads; only folders are listed for the gateway, too.
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isObject, type JsonObject } from '../../../shared/values/json.ts'
import type { LogFile } from './imported-rows.ts'
import type { Sink } from './readers/reader.ts'

const CHUNK_BYTES = 1024 * 1024
const MAX_LINE_BYTES = 8 * CHUNK_BYTES
/** The beginning that is kept of a line that is too long, to see whether it could be usage. */
const HEAD_BYTES = 4_096
const MAX_FILE_BYTES = 64 * CHUNK_BYTES
const NEWLINE = 10

/**
 * Files below the folders, or only directly in them, that `wants` accepts by their path: each once however many links lead to it, in a
 * fixed order.
 */
export async function listFiles(
  folders: readonly string[],
  wants: (path: string) => boolean,
  sink: Sink,
  depth: 'all' | 'direct' = 'all',
): Promise<string[]> {
  const seen = new Set<string>()
  const files = new Set<string>()
  // A loop over a list also visits what is added meanwhile.
  const queue = [...folders]
  for (const folder of queue) {
    const real = await resolveOnce(folder, seen, sink)
    if (real === null) continue
    const entries = await attempt(() => readdir(real, { withFileTypes: true }), sink)
    for (const entry of entries?.toSorted((a, b) => (a.name < b.name ? -1 : 1)) ?? []) {
      const path = join(real, entry.name)
      const kind = entry.isSymbolicLink() ? await attempt(() => stat(path), sink) : entry
      if (kind?.isDirectory()) {
        if (depth === 'all') queue.push(path)
      } else if (kind?.isFile() && wants(path)) {
        const file = entry.isSymbolicLink() ? await resolveOnce(path, seen, sink) : path
        if (file !== null) files.add(file)
      }
    }
  }
  return [...files]
}

/** The path without links; null if it is missing, or was seen before. */
async function resolveOnce(path: string, seen: Set<string>, sink: Sink): Promise<string | null> {
  const real = await attempt(() => realpath(path), sink)
  if (real === null || seen.has(real)) return null
  seen.add(real)
  return real
}

/** Null where something is missing, which is no problem, or cannot be read, which is noted. */
async function attempt<T>(act: () => Promise<T> | T, sink: Sink): Promise<T | null> {
  try {
    return await act()
  } catch (error) {
    const code = isObject(error) ? error.code : undefined
    if (code !== 'ENOENT' && code !== 'ENOTDIR') sink.skip('unreadable')
    return null
  }
}

/** The files in the order in which they were made: a fork comes after what it copies. */
export function sortByAge(paths: readonly string[]): string[] {
  const births = new Map(paths.map((path) => [path, readBirth(path)]))
  return paths.toSorted((a, b) => Number((births.get(a) ?? 0n) - (births.get(b) ?? 0n)))
}

function readBirth(path: string): bigint {
  try {
    return statSync(path, { bigint: true }).birthtimeNs
  } catch {
    return 0n
  }
}

/**
 * Calls `read` with each group of files of which one has changed since it was last read. What a group has is one whole, such as a
 * thread in several files.
 */
export async function readGroups(
  groups: Iterable<readonly string[]>,
  read: (paths: readonly string[]) => void | Promise<void>,
  sink: Sink,
): Promise<void> {
  for (const paths of groups) {
    // Their state is that before reading, as they may grow meanwhile.
    const files = (await Promise.all(paths.map((path) => describeFile(path, sink)))).filter(
      (file) => file !== null,
    )
    if (files.every((file) => sink.isRead(file))) continue
    await read(paths)
    await sink.endFiles(files)
  }
}

/** `readGroups` for files that are wholes. */
export function readEach(
  paths: readonly string[],
  read: (path: string) => void | Promise<void>,
  sink: Sink,
): Promise<void> {
  return readGroups(
    paths.map((path) => [path]),
    async ([path]) => {
      if (path !== undefined) await read(path)
    },
    sink,
  )
}

async function describeFile(path: string, sink: Sink): Promise<LogFile | null> {
  const stats = await attempt(() => statSync(path), sink)
  return stats && { path, size: stats.size, modifiedAt: stats.mtimeMs }
}

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
