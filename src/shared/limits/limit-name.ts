// The names of spend limits in sentences.

import type { AccountSpendLimit } from '../api/spend-limits.ts'
import { formatUsd } from '../money/format-usd.ts'

type LimitTerms = Pick<AccountSpendLimit, 'per' | 'window' | 'model' | 'tag'>

const CALENDAR = { day: 'daily', week: 'weekly', month: 'monthly', lifetime: 'lifetime', session: null }
const ROLLING = { day: 'in 24 hours', week: 'in 7 days', month: 'in 30 days', lifetime: null, session: null }

const AFTER = {
  day: 'per day',
  week: 'per week',
  month: 'per month',
  lifetime: 'in all',
  session: 'per session',
}

/** "per day on claude-* in tollgate": what follows the amount of a limit. */
export function describeKind({ per, window, model, tag }: LimitTerms): string {
  const period = (window === 'rolling' ? ROLLING[per] : null) ?? AFTER[per]
  const scope = `${model === undefined ? '' : ` on ${model}`}${tag === undefined ? '' : ` in ${tag}`}`
  return `${period}${scope}`
}

/** "daily cap of $5.00 for "gpt-5*"": a cap of a key, a limit of the account. */
export function nameLimit(limit: LimitTerms, usd: number, word: 'cap' | 'limit'): string {
  return composeName(limit, formatUsd(usd), word)
}

/** "daily cap of “Docs” for "gpt-5*"": without its amount. */
export function nameOwnedLimit(owner: string, limit: LimitTerms, word: 'cap' | 'limit'): string {
  return composeName(limit, owner, word)
}

function composeName({ per, window, model, tag }: LimitTerms, of: string, word: 'cap' | 'limit'): string {
  const rolling = window === 'rolling' ? ROLLING[per] : null
  const adjective = rolling === null ? CALENDAR[per] : null
  const name = [adjective, word, 'of', of, per === 'session' ? 'per session' : rolling]
  const scope = [
    ...(model === undefined ? [] : [`for "${model}"`]),
    ...(tag === undefined ? [] : [`for the project "${tag}"`]),
  ]
  return [...name, ...scope].filter((part) => part !== null).join(' ')
}

/** "23 Nov at 00:00", in a time zone. */
export function formatReset(instant: number, timeZone: string): string {
  const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone }).format(instant)
  const time = new Intl.DateTimeFormat('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone,
  }).format(instant)
  return `${day} at ${time}`
}
