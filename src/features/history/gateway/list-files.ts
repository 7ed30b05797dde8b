// Finds the files of other programs. There may be a million, so folders are read in parts, and the list is not in memory.
import { statSync } from 'node:fs'
import { opendir, realpath, stat } from 'node:fs/promises'
import { basename, join, sep } from 'node:path'
import { isObject } from '../../../shared/values/json.ts'
import { FileList, type FoundFile } from './file-list-rows.ts'
import type { LogFile } from './imported-rows.ts'
import type { Sink } from './readers/reader.ts'

/** Entries of a folder that are in memory. */
const ENTRIES = 1_024
/** Rows that are inserted together: a transaction for each would take twice as long. */
const ROWS = 500

interface Choice {
  /** By the path. */
  wants(path: string): boolean
  /** Only files directly in the folders. */
  isDirect?: boolean
}

/** Null where something is missing, which is no problem, or cannot be read, which is noted. */
export async function attempt<T>(act: () => Promise<T> | T, sink: Pick<Sink, 'skip'>): Promise<T | null> {
  try {
    return await act()
  } catch (error) {
    noteError(error, sink)
    return null
  }
}

function noteError(error: unknown, sink: Pick<Sink, 'skip'>): void {
  const code = isObject(error) ? error.code : undefined
  if (code !== 'ENOENT' && code !== 'ENOTDIR') sink.skip('unreadable')
}

/**
 * Files below the folders, in no order. Links are followed, each folder that they lead to once; where several lead to one file, it may come
 * more than once.
 */
export async function* walkFiles(
  folders: readonly string[],
  choice: Choice,
  sink: Pick<Sink, 'skip'>,
): AsyncGenerator<string> {
  const roots: string[] = []
  for (const folder of folders) {
    const real = await attempt(() => realpath(folder), sink)
    if (real !== null) yield* walkRoot(real, roots, choice, sink)
  }
}

/** `roots`: whatever is below these was visited, or will be. */
async function* walkRoot(
  folder: string,
  roots: string[],
  choice: Choice,
  sink: Pick<Sink, 'skip'>,
): AsyncGenerator<string> {
  if (roots.some((root) => folder === root || folder.startsWith(root + sep))) return
  roots.push(folder)
  yield* walk(folder, roots, choice, sink)
}

async function* walk(
  folder: string,
  roots: string[],
  choice: Choice,
  sink: Pick<Sink, 'skip'>,
): AsyncGenerator<string> {
  const entries = await attempt(() => opendir(folder, { bufferSize: ENTRIES }), sink)
  if (entries === null) return
  for await (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.isSymbolicLink()) yield* followLink(path, roots, choice, sink)
    else if (entry.isDirectory()) {
      if (!choice.isDirect) yield* walk(path, roots, choice, sink)
    } else if (entry.isFile() && choice.wants(path)) yield path
  }
}

async function* followLink(
  path: string,
  roots: string[],
  choice: Choice,
  sink: Pick<Sink, 'skip'>,
): AsyncGenerator<string> {
  const kind = await attempt(() => stat(path), sink)
  const real = kind && (await attempt(() => realpath(path), sink))
  if (!kind || !real) return
  if (kind.isFile() && choice.wants(path)) yield real
  if (kind.isDirectory() && !choice.isDirect) yield* walkRoot(real, roots, choice, sink)
}

interface Order extends Choice {
  /** The files that are one whole, such as a thread in several files, have the same; else each file is one. */
  getGroup?(path: string): string
  /** In the order in which they were made, in which a fork comes after what it copies; else by group and path. */
  isByAge?: boolean
}

/** Lists what is wanted below the folders. With groups, a file with the name of one in an earlier folder is left out. */
export async function listFiles(
  folders: readonly string[],
  { getGroup, isByAge = false, ...choice }: Order,
  sink: Pick<Sink, 'skip'>,
): Promise<FileList> {
  const list = new FileList()
  const files: FoundFile[] = []
  for (const [place, folder] of folders.entries())
    for await (const path of walkFiles([folder], choice, sink)) {
      const age = isByAge ? readBirth(path) : 0n
      files.push(
        getGroup
          ? { place, path, name: basename(path), unit: getGroup(path), age, depth: 0 }
          : { place, path, name: path, unit: path, age, depth: path.split(sep).length },
      )
      if (files.length === ROWS) list.add(files.splice(0))
    }
  list.add(files)
  list.sort({ isGrouped: getGroup !== undefined })
  return list
}

function readBirth(path: string): bigint {
  try {
    return statSync(path, { bigint: true }).birthtimeNs
  } catch {
    return 0n
  }
}

/**
 * Calls `read` with each group of files of which one has changed since it was last read.
 */
export async function readGroups(
  groups: Iterable<readonly string[]>,
  read: (paths: readonly string[]) => void | Promise<void>,
  sink: Sink,
): Promise<void> {
  for (const paths of groups) {
    // Their state is that before reading, as they may grow meanwhile.
    const files = paths.flatMap((path) => describeFile(path, sink) ?? [])
    if (files.every((file) => sink.isRead(file))) continue
    await read(paths)
    await sink.endFiles(files)
  }
}

/** `readGroups` for all wanted files below the folders, each of which is a whole. */
export async function readEach(
  folders: readonly string[],
  order: Omit<Order, 'getGroup'>,
  read: (path: string) => void | Promise<void>,
  sink: Sink,
): Promise<void> {
  const list = await listFiles(folders, order, sink)
  try {
    await readGroups(
      list.units(),
      async ([path]) => {
        if (path !== undefined) await read(path)
      },
      sink,
    )
  } finally {
    list.close()
  }
}

/** Null for a file that is gone or unreadable. Files of a million are described without a detour through other threads. */
function describeFile(path: string, sink: Sink): LogFile | null {
  try {
    const { size, mtimeMs } = statSync(path)
    return { path, size, modifiedAt: mtimeMs }
  } catch (error) {
    noteError(error, sink)
    return null
  }
}
