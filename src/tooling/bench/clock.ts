import { setTimeout as delay } from 'node:timers/promises'

const POLL_MS = 20
const LIMIT_MS = 60_000

/**
 * Milliseconds of a clock that all processes of the machine share, so that one process can compute how long ago another
 * one sent something.
 */
export function sharedNow(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

/** The first value that is not null. Throws when there is none in a minute. */
export async function waitFor<T>(find: () => T | null | Promise<T | null>): Promise<T> {
  const until = sharedNow() + LIMIT_MS
  while (sharedNow() < until) {
    const value = await find()
    if (value !== null) return value
    await delay(POLL_MS)
  }
  throw new Error('It did not start in time.')
}
