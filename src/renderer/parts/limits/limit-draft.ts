// Spend limits while they are edited.

import { z } from 'zod'
import type { AccountSpendLimit } from '../../../shared/api/spend-limits.ts'
import { isSameLimit } from '../../../shared/limits/limits.ts'
import { formatInput, parseUsd } from '../../kit/number-input.ts'
import { getPeriod, PERIODS } from './limit-text.ts'

export interface LimitDraft {
  /** Its identity on the screen. */
  id: number
  usd: string
  /** The id of one of `PERIODS`. */
  period: string
  /** Blank for all models. */
  model: string
  /** Blank for all projects. */
  tag: string
  action: NonNullable<AccountSpendLimit['action']>
}

export function toDrafts(limits: readonly AccountSpendLimit[]): LimitDraft[] {
  return limits.map((limit, id) => ({
    id,
    usd: formatInput(limit.usd),
    period: getPeriod(limit).id,
    model: limit.model ?? '',
    tag: limit.tag ?? '',
    action: limit.action ?? 'stop',
  }))
}

/** One more limit, of a period that none has yet if there is one. */
export function addDraft(drafts: readonly LimitDraft[]): LimitDraft[] {
  const id = Math.max(-1, ...drafts.map((draft) => draft.id)) + 1
  const preferred = [
    ...['day', 'month', 'session', 'week', 'subagent'],
    ...['last-day', 'last-week', 'last-month', 'lifetime'],
  ]
  const period = preferred.find((one) => drafts.every((draft) => draft.period !== one)) ?? 'day'
  return [...drafts, { id, usd: '', period, model: '', tag: '', action: 'stop' }]
}

export type ParsedDraft = { ok: true; limit: AccountSpendLimit } | { ok: false; message: string }

export function parseDraft({ usd, period, model, tag, action }: LimitDraft): ParsedDraft {
  const amount = parseUsd(usd)
  if (!amount.ok) return amount
  if (amount.usd === null) return { ok: false, message: 'Enter an amount in USD, or remove this limit.' }
  const choice = PERIODS.find(({ id }) => id === period)
  return {
    ok: true,
    limit: {
      usd: amount.usd,
      per: choice?.per ?? 'day',
      ...(choice?.window ? { window: choice.window } : {}),
      ...(model === '' ? {} : { model }),
      ...(tag === '' ? {} : { tag }),
      ...(action === 'stop' ? {} : { action }),
    },
  }
}

/** The mistake in each draft: null for none. Two limits of the same kind would be one. */
export function findMistakes(drafts: readonly LimitDraft[]): (string | null)[] {
  const parsed = drafts.map(parseDraft)
  return parsed.map((one, index) => {
    if (!one.ok) return one.message
    const isRepeated = parsed
      .slice(0, index)
      .some((earlier) => earlier.ok && isSameLimit(earlier.limit, one.limit))
    return isRepeated ? 'There is a limit for this already. Change its amount instead.' : null
  })
}

/** The limits of the drafts; null if one has a mistake. */
export function parseDrafts(drafts: readonly LimitDraft[]): AccountSpendLimit[] | null {
  if (findMistakes(drafts).some((mistake) => mistake !== null)) return null
  return drafts.flatMap((draft) => {
    const parsed = parseDraft(draft)
    return parsed.ok ? [parsed.limit] : []
  })
}

/** The drafts in a form; their mistakes are shown at each. */
export const LimitDrafts = z.custom<LimitDraft[]>().transform((drafts, context) => {
  const limits = parseDrafts(drafts)
  if (limits !== null) return limits
  context.addIssue('A limit has a mistake.')
  return z.NEVER
})
