// Every spend limit of a key or of the account as one kind of thing: its name in sentences, which is nearest, and how to raise the
// one that has stopped a key.
import type { Account, AccountUpdate } from '../api/account.ts'
import type { KeyMetadata, KeyUpdate } from '../api/keys.ts'
import type { AccountSpendLimit, AccountSpendLimitState } from '../api/spend-limits.ts'
import { MAIN_PERIOD } from '../api/terms.ts'
import { formatUsd } from '../money/format-usd.ts'
import { getDateFormat } from '../values/locale.ts'

/** The fraction of a cap from which the window and the tray show a warning. */
export const CAP_WARN_FRACTION = 0.8

type LimitTerms = Pick<AccountSpendLimit, 'per' | 'window' | 'model' | 'tag'>

interface PeriodWords {
  /** "5.00 USD a day" */
  each: string
  /** "the limit per day" */
  after: string
  /** "daily limit"; null for a limit of the runs of an agent. */
  adjective: string | null
  /** "in 24 hours", for a window that moves with the clock; null where none does. */
  rolling: string | null
}

/** The words for each period of a limit, in the window, the command line, the tools of agents and the errors of the API. */
export const PERIOD_WORDS: Readonly<Record<LimitTerms['per'], PeriodWords>> = {
  day: { each: 'a day', after: 'per day', adjective: 'daily', rolling: 'in 24 hours' },
  week: { each: 'a week', after: 'per week', adjective: 'weekly', rolling: 'in 7 days' },
  month: { each: 'a month', after: 'per month', adjective: 'monthly', rolling: 'in 30 days' },
  session: { each: 'a session', after: 'per session', adjective: null, rolling: null },
  subagent: { each: 'a sub-agent', after: 'per sub-agent', adjective: null, rolling: null },
  lifetime: { each: 'in all', after: 'in all', adjective: 'lifetime', rolling: null },
}

/** Whether a limit counts the spend of each run of an agent, and never resets within one. */
export function isOfRuns(per: LimitTerms['per']): per is 'session' | 'subagent' {
  return per === 'session' || per === 'subagent'
}

/** "per day on claude-* in tollgate": what follows the amount of a limit. */
export function describeKind({ per, window, model, tag }: LimitTerms): string {
  const { after, rolling } = PERIOD_WORDS[per]
  const period = (window === 'rolling' ? rolling : null) ?? after
  const scope = `${model === undefined ? '' : ` on ${model}`}${tag === undefined ? '' : ` in ${tag}`}`
  return `${period}${scope}`
}

type Quote = (name: string) => string

const quoteStraight: Quote = (name) => `"${name}"`

/** "daily cap of $5.00 for "gpt-5*"": a cap of a key, a limit of the account. */
export function nameLimit(
  limit: LimitTerms,
  usd: number,
  word: 'cap' | 'limit',
  quote: Quote = quoteStraight,
): string {
  return composeName(limit, formatUsd(usd), word, quote)
}

/** "daily cap of “Docs” for “gpt-5*”": without its amount. */
export function nameOwnedLimit(
  owner: string,
  limit: LimitTerms,
  word: 'cap' | 'limit',
  quote: Quote,
): string {
  return composeName(limit, owner, word, quote)
}

function composeName(
  { per, window, model, tag }: LimitTerms,
  of: string,
  word: 'cap' | 'limit',
  quote: Quote,
): string {
  const words = PERIOD_WORDS[per]
  const rolling = window === 'rolling' ? words.rolling : null
  const name = rolling !== null || words.adjective === null ? word : `${words.adjective} ${word}`
  const scope = [
    ...(model === undefined ? [] : [`for ${quote(model)}`]),
    ...(tag === undefined ? [] : [`for the project ${quote(tag)}`]),
  ]
  const period = isOfRuns(per) ? words.after : rolling
  return [`${name} of ${of}`, ...(period === null ? [] : [period]), ...scope].join(' ')
}

/** "23 Nov at 00:00", in a time zone. */
export function formatReset(instant: number, timeZone: string): string {
  const day = getDateFormat({ day: 'numeric', month: 'short' }, timeZone).format(instant)
  const time = getDateFormat({ hour: '2-digit', minute: '2-digit' }, timeZone).format(instant)
  return `${day} at ${time}`
}

/** The identity of a limit among those of a key or of the account: all but its amount and action. */
export type LimitKind = Pick<AccountSpendLimit, 'per' | 'window' | 'model' | 'tag'>

export interface Limit {
  /** Null for a limit of the account. */
  keyId: string | null
  kind: LimitKind
  /** Its place in `spendLimits`. */
  index: number
  limitUsd: number
  spentUsd: number
  reservedUsd: number
  /** Null if there is no moment at which it resets. */
  resetsAt: string | null
  warnsOnly: boolean
  /** Whether the owner is asked where it is used up, instead of rejecting requests. */
  asks: boolean
}

/** The identity of a limit, from all that is known of it. */
export function toKind({ per, window, model, tag }: LimitKind): LimitKind {
  return {
    per,
    ...(window === undefined ? {} : { window }),
    ...(model === undefined ? {} : { model }),
    ...(tag === undefined ? {} : { tag }),
  }
}

export function isSameLimit(a: LimitKind, b: LimitKind): boolean {
  const isSamePeriod = a.per === b.per && (a.window === 'rolling') === (b.window === 'rolling')
  return isSamePeriod && a.model === b.model && a.tag === b.tag
}

/** The limit in the form that is sent to the gateway. */
export function withoutState(state: AccountSpendLimitState): AccountSpendLimit {
  const {
    allowedUsd: _allowed,
    spentUsd: _spent,
    reservedUsd: _reserved,
    resetsAt: _resets,
    ...limit
  } = state
  return limit
}

/** A limit by its owner and its kind. */
export type LimitRef = Pick<Limit, 'keyId' | 'kind'>

/** The kind of the limit that has a short name: the cap of a key; with null the monthly limit of the account. */
export function mainKind(keyId: string | null): LimitKind {
  return { per: keyId === null ? MAIN_PERIOD.account : MAIN_PERIOD.key }
}

export function isMainLimit({ keyId, kind }: LimitRef): boolean {
  return isSameLimit(kind, mainKind(keyId))
}

/** "per day on claude-*": what follows the amount of a limit; blank after the cap of a key. */
export function describeScope(limit: LimitRef): string {
  if (!isMainLimit(limit)) return describeKind(limit.kind)
  return limit.keyId === null ? 'this month' : ''
}

export function limitsOfKey({ id, spendLimits }: Pick<KeyMetadata, 'id' | 'spendLimits'>): Limit[] {
  return spendLimits.map((limit, index) => toLimit(id, limit, index))
}

export function limitsOfAccount({ spendLimits }: Pick<Account, 'spendLimits'>): Limit[] {
  return spendLimits.map((limit, index) => toLimit(null, limit, index))
}

function toLimit(keyId: string | null, listed: AccountSpendLimitState, index: number): Limit {
  const { usd, allowedUsd = 0, spentUsd, reservedUsd, resetsAt, action } = listed
  const amounts = { limitUsd: usd + allowedUsd, spentUsd, reservedUsd, resetsAt }
  const effect = { warnsOnly: action === 'warn', asks: action === 'ask' }
  return { keyId, kind: toKind(listed), index, ...amounts, ...effect }
}

/** The limit of which the largest part is used; of two that are nearly used up, the one that stops requests. Null for none. */
export function nearestLimit(limits: readonly Limit[]): Limit | null {
  return limits.toSorted(byNearness)[0] ?? null
}

/** The limit to show first of all keys: the monthly one, unless another is nearly used up. */
export function headlineLimit(account: Account): Limit | null {
  const limits = limitsOfAccount(account)
  const first = limits.filter((limit) => isMainLimit(limit) || usedPart(limit) >= CAP_WARN_FRACTION)
  return nearestLimit(first) ?? nearestLimit(limits)
}

/** Orders limits: the nearest first. */
export function byNearness(a: Limit, b: Limit): number {
  const order = nearness(b) - nearness(a)
  return Number.isNaN(order) ? 0 : order
}

/** The part that is neither spent nor reserved. Never negative. */
export function leftUsd({ limitUsd, spentUsd, reservedUsd }: Limit): number {
  return Math.max(0, limitUsd - spentUsd - reservedUsd)
}

/** A limit of zero is used up from the start. */
export function usedPart({ spentUsd, limitUsd }: Pick<Limit, 'spentUsd' | 'limitUsd'>): number {
  return limitUsd === 0 ? Number.POSITIVE_INFINITY : spentUsd / limitUsd
}

function nearness(limit: Limit): number {
  const part = usedPart(limit)
  // One that only warns hides none that is about to stop requests.
  return limit.warnsOnly ? Math.min(part, CAP_WARN_FRACTION) : part
}

/** Whether it refuses requests. */
export function isUsedUp({ warnsOnly, spentUsd, limitUsd }: Limit): boolean {
  return !warnsOnly && spentUsd >= limitUsd
}

/** The amount that the buttons add to a limit. */
export const RAISE_USD = 5

export interface Raise {
  key: KeyUpdate | null
  account: AccountUpdate | null
}

/** The limits that refuse requests of a key now: its own, and those of the account that its requests count for. */
export function limitsThatStop(key: KeyMetadata, account: Account | null): Limit[] {
  const shared = account === null ? [] : limitsOfAccount(account)
  const counting = shared.filter(({ kind }) => kind.tag === undefined || kind.tag === key.tag)
  return [...limitsOfKey(key), ...counting].filter(isUsedUp)
}

/** The amount that leaves `RAISE_USD` more to spend, in whole cents. */
export function raisedUsd({ limitUsd, spentUsd }: Pick<Limit, 'limitUsd' | 'spentUsd'>): number {
  return Math.round((Math.max(limitUsd, spentUsd) + RAISE_USD) * 100) / 100
}

/** The updates that raise these limits. Null for what has none of them. */
export function computeRaise(
  limits: readonly Limit[],
  key: KeyMetadata | null,
  account: Account | null,
): Raise {
  const ofKey = limits.filter(({ keyId }) => keyId !== null && keyId === key?.id)
  const ofAccount = limits.filter(({ keyId }) => keyId === null)
  return {
    key: key && raise(key.spendLimits, ofKey),
    account: account && raise(account.spendLimits, ofAccount),
  }
}

/** The update that raises these limits, each at its place; null if none of them is in the list. */
function raise(list: readonly AccountSpendLimitState[], raised: readonly Limit[]) {
  if (raised.length === 0) return null
  return {
    spendLimits: list.map((listed, index) => {
      const limit = raised.find((one) => one.index === index && isSameLimit(one.kind, listed))
      return { ...withoutState(listed), ...(limit ? { usd: raisedUsd(limit) } : {}) }
    }),
  }
}
