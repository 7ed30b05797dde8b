// The names of spend limits on the screen.

import type { AccountSpendLimit, AccountSpendLimitState } from '../../../shared/api/spend-limits.ts'
import type { LimitKind } from '../../../shared/limits/limits.ts'
import { formatDay, formatOver, formatTime, formatUsd } from '../../kit/format.ts'

interface PeriodChoice {
  /** The value in a select. */
  id: string
  per: AccountSpendLimit['per']
  window?: 'rolling'
  /** In a select. */
  label: string
  hint: string
}

/** Every period that a limit can have, from short to long. */
export const PERIODS: readonly PeriodChoice[] = [
  {
    id: 'session',
    per: 'session',
    label: 'Per session',
    hint: 'Each agent run',
  },
  { id: 'subagent', per: 'subagent', label: 'Per sub-agent', hint: 'Each sub-agent of a session' },
  { id: 'day', per: 'day', label: 'Per day', hint: 'Resets at midnight' },
  { id: 'week', per: 'week', label: 'Per week', hint: 'Resets on Monday' },
  { id: 'month', per: 'month', label: 'Per month', hint: 'Resets on the 1st' },
  {
    id: 'last-day',
    per: 'day',
    window: 'rolling',
    label: 'In 24 hours',
    hint: 'Counts the last 24 hours',
  },
  {
    id: 'last-week',
    per: 'week',
    window: 'rolling',
    label: 'In 7 days',
    hint: 'Counts the last 7 days',
  },
  {
    id: 'last-month',
    per: 'month',
    window: 'rolling',
    label: 'In 30 days',
    hint: 'Counts the last 30 days',
  },
  { id: 'lifetime', per: 'lifetime', label: 'In all', hint: 'Never resets' },
]

export function getPeriod({ per, window }: Pick<LimitKind, 'per' | 'window'>): PeriodChoice {
  const isRolling = window === 'rolling'
  const found = PERIODS.find((choice) => choice.per === per && (choice.window === 'rolling') === isRolling)
  if (found === undefined) throw new RangeError(`no limit is ${window} per ${per}`)
  return found
}

/** "resets on 1 Dec", "… at 14:00"; blank if it never does at a known time. */
export function describeReset({ resetsAt }: { resetsAt: string | null }, nowMs: number, zone?: string) {
  if (resetsAt === null) return ''
  const isSoon = Date.parse(resetsAt) - nowMs < 86_400_000
  return isSoon ? `resets at ${formatTime(resetsAt, zone)}` : `resets on ${formatDay(resetsAt, nowMs, zone)}`
}

/** " in the last session": where a limit of runs counts what is shown. */
export function lastRun({ per }: Pick<LimitKind, 'per'>): string {
  if (per === 'session') return ' in the last session'
  return per === 'subagent' ? ' in the last sub-agent' : ''
}

/** "$1.20 spent, resets at 00:00", "$2.05 spent, $0.05 over, resets at 00:00" */
export function describeSpent(limit: AccountSpendLimitState, nowMs: number, zone?: string): string {
  const reset = describeReset(limit, nowMs, zone)
  const over = formatOver(limit.spentUsd, limit.usd)
  return [`${formatUsd(limit.spentUsd)} spent${lastRun(limit)}`, over, reset].filter(Boolean).join(', ')
}
