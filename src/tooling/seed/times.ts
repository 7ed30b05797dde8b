// Owns when seeded requests were made. Knows nothing of what they asked.
import type { Chance } from './random.ts'

const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * HOUR_MS

/** How busy each hour of a working day is, from midnight UTC. */
const BUSY = [2, 1, 1, 1, 1, 2, 4, 8, 14, 18, 20, 19, 16, 18, 21, 22, 20, 17, 13, 10, 8, 6, 4, 3]
const WEEKEND = 0.3

/**
 * So many moments in order, the last days up to `now`: all hours alike when `even`, else more on working days, in office
 * hours, and of late.
 */
export function* momentsUntil(
  now: number,
  { requests, days, even }: { requests: number; days: number; even: boolean },
  chance: Chance,
): Generator<number> {
  const begin = now - days * DAY_MS
  const hours = Array.from({ length: Math.ceil(days * 24) }, (_, hour) => begin + hour * HOUR_MS)
  const weights = hours.map((hour) => (even ? 1 : busyness(hour, (hour - begin) / (now - begin))))
  const whole = weights.reduce((sum, weight) => sum + weight, 0)
  let weighed = 0
  let made = 0
  for (const [index, hour] of hours.entries()) {
    weighed += weights[index] ?? 0
    const due = index === hours.length - 1 ? requests : Math.round((requests * weighed) / whole)
    const span = Math.min(HOUR_MS, now - hour)
    const moments = Array.from({ length: due - made }, () => hour + Math.floor(chance.next() * span))
    yield* moments.sort((a, b) => a - b)
    made = due
  }
}

function busyness(hour: number, elapsed: number): number {
  const date = new Date(hour)
  const weekend = date.getUTCDay() % 6 === 0
  const swing = 1 + 0.35 * Math.sin(Math.floor(hour / DAY_MS) * 1.7)
  return (BUSY[date.getUTCHours()] ?? 1) * (weekend ? WEEKEND : 1) * swing * (0.6 + 0.8 * elapsed)
}
