// Dumps of native crashes in the data dir, which Chromium's crash handler writes while the app goes on or starts again.
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describeDump } from './minidump.ts'
import { crashDir } from './write-report.ts'

export function dumpDir(dataDir: string): string {
  return join(crashDir(dataDir), 'dumps')
}

/**
 * Describes the newest dump, and removes all: a dump contains memory, in which there may be prompts and secrets. Never throws:
 * the crash handler may move or hold a file meanwhile, and what is left is removed the next time.
 */
export function takeDumps(dataDir: string): string | null {
  let newest: string | null = null
  for (const { path } of findDumps(dumpDir(dataDir))) {
    newest ??= attempt(() => describeDump(readFileSync(path)))
    attempt(() => rmSync(path, { force: true }))
  }
  return newest
}

/** Newest first. */
function findDumps(dir: string): { path: string; modifiedMs: number }[] {
  const names = attempt(() => readdirSync(dir, { recursive: true, encoding: 'utf8' })) ?? []
  return names
    .filter((name) => name.endsWith('.dmp'))
    .map((name) => join(dir, name))
    .map((path) => ({ path, modifiedMs: attempt(() => statSync(path).mtimeMs) ?? 0 }))
    .toSorted((a, b) => b.modifiedMs - a.modifiedMs)
}

function attempt<T>(action: () => T): T | null {
  try {
    return action()
  } catch {
    return null
  }
}
