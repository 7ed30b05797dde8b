// The process that holds a data dir describes itself, for those that find the dir in use or want to call the gateway.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeFileAtomic } from '../../platform/durable-files.ts'
import { regularFile } from './files.ts'

/** Removed when the lock is released; a crash leaves it. */
export function lockInfoPath(dataDir: string): string {
  return join(dataDir, 'lock.json')
}

/** The content of `lock.json`, written by the process that holds the data dir; null if there is none. */
export function readHolder(dataDir: string): Record<string, unknown> | null {
  const path = lockInfoPath(dataDir)
  try {
    if (!regularFile(path)) return null
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return typeof value === 'object' && value !== null ? { ...value } : null
  } catch {
    return null
  }
}

export function writeLockInfo(dataDir: string, info: Record<string, unknown>): void {
  writeFileAtomic(lockInfoPath(dataDir), `${JSON.stringify(info)}\n`)
}
