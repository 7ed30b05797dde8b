import type { RehearsedLimit } from '../../../shared/api/rehearsal.ts'
import type { AccountSpendLimit } from '../../../shared/api/spend-limits.ts'
import { chooseUsdDecimals, formatDay, formatUsd } from '../../kit/format.ts'

/** More days than these are counted instead of named. */
const MAX_DAYS = 4

interface LimitTrial extends Pick<AccountSpendLimit, 'per' | 'action'> {
  /** Whom it would have stopped: the name of a key, or "your keys". */
  who: string
}

/** "Would have stopped Coding agents on 12 and 19 Nov." */
export function describeRehearsal(
  { stops, stopCount, preventedUsd }: RehearsedLimit,
  tried: LimitTrial,
): string {
  const { who, per, action } = tried
  const verb = action === 'warn' ? 'warned of' : 'stopped'
  if (stopCount === 0) return `Would not have ${verb} ${who} in the last 30 days.`
  const saved =
    action === 'warn' || preventedUsd === 0
      ? ''
      : ` That is ${formatUsd(preventedUsd, chooseUsdDecimals([preventedUsd]))} less.`
  if (per === 'session') {
    const sessions = stopCount === 1 ? '1 session' : `${stopCount} sessions`
    return `Would have ${verb} ${sessions} of ${who} in the last 30 days.${saved}`
  }
  const days = [...new Set(stops.map(({ date }) => date))]
  return `Would have ${verb} ${who} ${days.length > MAX_DAYS ? `on ${days.length} of the last 30 days` : `on ${joinDays(days)}`}.${saved}`
}

/** "12 and 19 Nov", "30 Oct and 2 Nov" */
export function joinDays(days: readonly string[]): string {
  const last = days.at(-1)
  if (last === undefined) return ''
  const isOneMonth = days.every((day) => day.slice(0, 7) === last.slice(0, 7))
  const names = days.map((day) =>
    isOneMonth && day !== last ? String(Number(day.slice(8))) : formatDay(day, Date.parse(last), 'UTC'),
  )
  return list.format(names)
}

const list = new Intl.ListFormat('en-GB', { type: 'conjunction' })
