import type { Random } from '../../gateway/testing/random.ts'

const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * HOUR_MS

/** Relative load of each hour of a working day, from midnight UTC. */
const REQUESTS_BY_HOUR = [2, 1, 1, 1, 1, 2, 4, 8, 14, 18, 20, 19, 16, 18, 21, 22, 20, 17, 13, 10, 8, 6, 4, 3]
const WEEKEND_LOAD = 0.3

/** When the requests were made, in order, over the last days up to `now`: more on working days, in office hours, and recently. */
export function* momentsUntil(
  now: number,
  { requests, days }: { requests: number; days: number },
  random: Random,
): Generator<number> {
  const begin = now - days * DAY_MS
  const hours = Array.from({ length: Math.ceil(days * 24) }, (_, hour) => begin + hour * HOUR_MS)
  const weights = hours.map((hour) => loadAt(hour, (hour - begin) / (now - begin)))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  let weightSoFar = 0
  let yielded = 0
  for (const [index, hour] of hours.entries()) {
    weightSoFar += weights[index] ?? 0
    const due = index === hours.length - 1 ? requests : Math.round((requests * weightSoFar) / total)
    const span = Math.min(HOUR_MS, now - hour)
    const moments = Array.from({ length: due - yielded }, () => hour + Math.floor(random.next() * span))
    yield* moments.sort((a, b) => a - b)
    yielded = due
  }
}

function loadAt(hour: number, elapsed: number): number {
  const date = new Date(hour)
  const weekend = date.getUTCDay() % 6 === 0
  const swing = 1 + 0.35 * Math.sin(Math.floor(hour / DAY_MS) * 1.7)
  return (
    (REQUESTS_BY_HOUR[date.getUTCHours()] ?? 1) * (weekend ? WEEKEND_LOAD : 1) * swing * (0.6 + 0.8 * elapsed)
  )
}
