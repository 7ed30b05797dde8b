import { setTimeout as delay } from 'node:timers/promises'
import { sharedNow } from './clock.ts'

const POLL_MS = 20
const LIMIT_MS = 60_000

/** The first value that is not null. Throws when there is none in a minute. */
export async function waitFor<T>(find: () => T | null | Promise<T | null>): Promise<T> {
  const until = sharedNow() + LIMIT_MS
  while (sharedNow() < until) {
    const found = await find()
    if (found !== null) return found
    await delay(POLL_MS)
  }
  throw new Error('It did not start in time.')
}
