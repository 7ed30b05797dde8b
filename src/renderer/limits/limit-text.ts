// What spend limits are called on the screen.
import type { AccountSpendLimit, AccountSpendLimitState } from '../../shared/spend-limits.ts'
import { formatDay, formatTime, formatUsd } from '../format.ts'

/** What identifies a limit among those of a key or of the account: all but its amount and action. */
export type LimitKind = Pick<AccountSpendLimit, 'per' | 'window' | 'model' | 'tag'>

/** What identifies a limit, of all that is known of it. */
export function toKind({ per, window, model, tag }: LimitKind): LimitKind {
  return {
    per,
    ...(window === undefined ? {} : { window }),
    ...(model === undefined ? {} : { model }),
    ...(tag === undefined ? {} : { tag }),
  }
}

interface PeriodChoice {
  /** The value in a select. */
  id: string
  per: AccountSpendLimit['per']
  window?: 'rolling'
  /** In a select. */
  label: string
  hint: string
  /** After an amount: "$5.00 per day". */
  after: string
}

/** Every period that a limit can have, from short to long. */
export const PERIODS: readonly PeriodChoice[] = [
  {
    id: 'session',
    per: 'session',
    label: 'Per session',
    hint: 'Each run of an agent separately',
    after: 'per session',
  },
  { id: 'day', per: 'day', label: 'Per day', hint: 'Starts again at midnight', after: 'per day' },
  { id: 'week', per: 'week', label: 'Per week', hint: 'Starts again on Monday', after: 'per week' },
  { id: 'month', per: 'month', label: 'Per month', hint: 'Starts again on the 1st', after: 'per month' },
  {
    ...{ id: 'last-day', per: 'day', window: 'rolling', label: 'In 24 hours' },
    hint: 'Always the last 24 hours',
    after: 'in 24 hours',
  },
  {
    ...{ id: 'last-week', per: 'week', window: 'rolling', label: 'In 7 days' },
    hint: 'Always the last 7 days',
    after: 'in 7 days',
  },
  {
    ...{ id: 'last-month', per: 'month', window: 'rolling', label: 'In 30 days' },
    hint: 'Always the last 30 days',
    after: 'in 30 days',
  },
  { id: 'lifetime', per: 'lifetime', label: 'In all', hint: 'Never starts again', after: 'in all' },
]

export function periodOf({ per, window }: Pick<LimitKind, 'per' | 'window'>): PeriodChoice {
  const isRolling = window === 'rolling'
  const found = PERIODS.find((choice) => choice.per === per && (choice.window === 'rolling') === isRolling)
  if (found === undefined) throw new RangeError(`no limit is ${window} per ${per}`)
  return found
}

export function isSameLimit(a: LimitKind, b: LimitKind): boolean {
  return periodOf(a).id === periodOf(b).id && a.model === b.model && a.tag === b.tag
}

/** "per day on claude-* in tollgate": what of a limit follows its amount. */
export function describeKind(limit: LimitKind): string {
  const model = limit.model === undefined ? '' : ` on ${limit.model}`
  const project = limit.tag === undefined ? '' : ` in ${limit.tag}`
  return `${periodOf(limit).after}${model}${project}`
}

/** "Starts again on 1 Dec", "… at 14:00"; blank if it never does at a known time. */
export function describeReset({ resetsAt }: { resetsAt: string | null }, nowMs: number, zone?: string) {
  if (resetsAt === null) return ''
  const isSoon = Date.parse(resetsAt) - nowMs < 86_400_000
  return isSoon
    ? `starts again at ${formatTime(resetsAt, zone)}`
    : `starts again on ${formatDay(resetsAt, nowMs, zone)}`
}

/** "$1.20 spent today, starts again at 00:00" */
export function describeSpent(limit: AccountSpendLimitState, nowMs: number, zone?: string): string {
  const spent = limit.per === 'session' ? 'spent in the last session' : 'spent'
  const reset = describeReset(limit, nowMs, zone)
  return `${formatUsd(limit.spentUsd)} ${spent}${reset === '' ? '' : `, ${reset}`}`
}
