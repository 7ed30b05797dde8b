// The reference model of limits per period: sums over all charges, without any state of its own.
export interface ChargeModel {
  keyId: string
  /** That served, or that was requested. */
  model: string
  nano: number
  createdAt: number
  /** By the name that the client gave it. */
  session: string
  project: string | null
}

/** What each pattern matches, written out. */
const PATTERNS = {
  '*plausible': ['plausible', 'implausible'],
  'acme/plausible': ['plausible'],
  single: ['single'],
} as const

export interface LimitModel {
  per: 'day' | 'week' | 'month' | 'session' | 'lifetime'
  window: 'calendar' | 'rolling'
  model: keyof typeof PATTERNS | null
  /** Nano-dollars. */
  limit: number
}

/** Of all keys together. */
export interface AccountLimitModel extends LimitModel {
  project: string | null
}

/** Without a window. */
const ENDLESS: ReadonlySet<LimitModel['per']> = new Set(['session', 'lifetime'])

/** As the API takes it. */
export function limitBody({
  per,
  window,
  model,
  limit,
  project = null,
}: LimitModel & { project?: string | null }): object {
  return {
    usd: limit / 1e9,
    per,
    ...(ENDLESS.has(per) ? {} : { window }),
    ...(model === null ? {} : { model }),
    ...(project === null ? {} : { tag: project }),
  }
}

export function isLimited({ model }: LimitModel, called: string): boolean {
  return model === null || PATTERNS[model].some((name) => name === called)
}

/** What of these charges counts at a moment: of a limit per session, the charges must be those of one. */
export function spentUnder(limit: LimitModel, charges: readonly ChargeModel[], now: number): number {
  const [from, to] = spanOf(limit, now)
  return charges
    .filter(({ createdAt, model }) => createdAt >= from && createdAt < to && isLimited(limit, model))
    .reduce((sum, { nano }) => sum + nano, 0)
}

const HOUR = 3_600_000
const ROLLING = { day: 24 * HOUR, week: 7 * 24 * HOUR, month: 30 * 24 * HOUR }
const SLOT = HOUR / 4
/** Spend that is dated so much later counts as well: the clock was set back. */
export const LATER = 31 * 24 * HOUR

function spanOf({ per, window }: LimitModel, now: number): [from: number, to: number] {
  if (per === 'lifetime' || per === 'session') return [0, Infinity]
  // A quarter of an hour leaves as a whole, when its end is old enough.
  if (window === 'rolling') return [Math.floor((now - ROLLING[per]) / SLOT) * SLOT, Infinity]
  const at = new Date(now)
  const [year, month, date] = [at.getFullYear(), at.getMonth(), at.getDate()]
  if (per === 'month') return [+new Date(year, month, 1), +new Date(year, month + 1, 1) + LATER]
  const first = per === 'day' ? date : date - ((at.getDay() + 6) % 7)
  const days = per === 'day' ? 1 : 7
  return [+new Date(year, month, first), +new Date(year, month, first + days) + LATER]
}
