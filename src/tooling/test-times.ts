// The times of test files and of the parts of `npm test`, from their last run on this machine.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { cacheDir, root } from './commands.ts'

/** Seconds, by the path of a test file from the root of the project, or the title of a part. */
type Times = Record<string, number>

const KINDS = { files: 'test-files.json', parts: 'test-parts.json' } as const
const SLOWEST = 10

/** The longest that a file may take without a reason, in seconds, when nothing else runs. */
const FILE_LIMIT = 2

/** Why these files take longer. */
const SLOW_FILES: Readonly<Record<string, string>> = {}

export function readTimes(kind: keyof typeof KINDS): Times {
  const file = join(cacheDir, KINDS[kind])
  return existsSync(file)
    ? z.record(z.string(), z.number()).parse(JSON.parse(readFileSync(file, 'utf8')))
    : {}
}

/** Replaces the times of those that ran. */
export function writeTimes(kind: keyof typeof KINDS, ran: Times): void {
  mkdirSync(cacheDir, { recursive: true })
  const times = { ...readTimes(kind), ...ran }
  writeFileSync(join(cacheDir, KINDS[kind]), JSON.stringify(times, null, 1))
}

/** The files that took longest, one a line. */
export function formatSlowest(times: Times): string {
  return Object.entries(times)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, SLOWEST)
    .map(([file, seconds]) => `${seconds.toFixed(1).padStart(6)} s  ${file}`)
    .join('\n')
}

/** The test files that took too long in their last run, one a line; empty if none did. */
export function reportSlowFiles(): string {
  const slow = Object.entries(readTimes('files')).filter(
    ([file, seconds]) => seconds > FILE_LIMIT && !(file in SLOW_FILES) && existsSync(join(root, file)),
  )
  if (slow.length === 0) return ''
  return `${slow.length} test files took longer than ${FILE_LIMIT} s:\n${formatSlowest(Object.fromEntries(slow))}`
}

/** Minutes and seconds, such as `4:05`. */
export function formatDuration(seconds: number): string {
  const whole = Math.round(seconds)
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}
