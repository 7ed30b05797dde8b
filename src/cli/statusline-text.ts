// The text of the status line. It loads no schemas, which would take longer than everything else: an unexpected member is
// left out.
import { formatUsd } from '../shared/money/format-usd.ts'

/** Answers of the gateway; null where there is none. */
export interface Facts {
  /** The session of the status line. */
  session: unknown
  /** The one that pays. */
  key: unknown
  account: unknown
}

/** The session id in what Claude Code writes to a status line command; null if it is something else. */
export function readSessionId(input: string): string | null {
  try {
    return getText(JSON.parse(input), 'session_id')
  } catch {
    return null
  }
}

/** The session that has the client's id, in the answer of `GET /v1/sessions`. */
export function pickSession(list: unknown, clientSessionId: string): unknown {
  return (
    readList(list, 'data').find((session) => getText(session, 'clientSessionId') === clientSessionId) ?? null
  )
}

/** `$0.42 this session · $1.58 left`; null if nothing is known. */
export function describeStatus({ session, key, account }: Facts): string | null {
  const parts = [...describeSpend({ session, key, account }), ...describeRest(key, account)]
  return parts.length > 0 ? parts.join(' · ') : null
}

function describeSpend({ session, key, account }: Facts): string[] {
  for (const [object, name, label] of [
    [session, 'costUsd', 'this session'],
    [key, 'spendUsd', 'spent'],
    [account, 'todaySpendUsd', 'today'],
  ] as const) {
    const usd = toNumber(object, name)
    if (usd !== null) return [`${formatUsd(usd)} ${label}`]
  }
  return []
}

interface Rest {
  usd: number
  of: string
}

/** The rest of the nearest limit. */
function describeRest(key: unknown, account: unknown): string[] {
  if (getText(key, 'pausedAt') !== null) return ['paused']
  const rests = [
    ...computeRest(toNumber(key, 'spendLimitUsd'), toNumber(key, 'spendUsd'), ''),
    ...readList(key, 'spendLimits')
      .filter((limit) => getText(limit, 'action') !== 'warn' && getText(limit, 'model') === null)
      .flatMap((limit) => computeRest(toNumber(limit, 'usd'), toNumber(limit, 'spentUsd'), getPeriod(limit))),
    ...computeRest(toNumber(account, 'monthlyLimitUsd'), toNumber(account, 'monthSpendUsd'), ' this month'),
  ].toSorted((a, b) => a.usd - b.usd)
  return rests.slice(0, 1).map(({ usd, of }) => `${formatUsd(usd)} left${of}`)
}

function computeRest(limit: number | null, spent: number | null, of: string): Rest[] {
  return limit === null || spent === null ? [] : [{ usd: Math.max(0, limit - spent), of }]
}

const PERIODS: Readonly<Record<string, string>> = {
  day: ' today',
  week: ' this week',
  month: ' this month',
  session: ' in this session',
}

function getPeriod(limit: unknown): string {
  return PERIODS[getText(limit, 'per') ?? ''] ?? ''
}

function getMember(object: unknown, name: string): unknown {
  return typeof object === 'object' && object !== null ? Reflect.get(object, name) : undefined
}

function getText(object: unknown, name: string): string | null {
  const value = getMember(object, name)
  return typeof value === 'string' ? value : null
}

function toNumber(object: unknown, name: string): number | null {
  const value = getMember(object, name)
  return typeof value === 'number' ? value : null
}

function readList(object: unknown, name: string): unknown[] {
  const value = getMember(object, name)
  return Array.isArray(value) ? value : []
}

/** The key that pays for a session. */
export function readKeyId(session: unknown): string | null {
  return getText(session, 'keyId')
}
