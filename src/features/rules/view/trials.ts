// Rules and limits that are tried on past requests, and how one is put in force.
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api } from '../../../renderer/data/api.ts'
import { saveWithUndo, updateAccount, updateKey } from '../../../renderer/data/mutations.ts'
import { query } from '../../../renderer/data/query-client.ts'
import type { ApiError } from '../../../renderer/kit/api-error.ts'
import { formatUsd } from '../../../renderer/kit/format.ts'
import type { AccountSpendLimit } from '../../../shared/api/spend-limits.ts'
import { describeKind, isSameLimit, withoutState } from '../../../shared/limits/limits.ts'
import type { Rehearsal } from '../api/rehearsal.ts'
import type { RuleInput } from '../api/rules.ts'
import { enableRule } from './rules.ts'

/** A rule, which may change that with the id; or a limit of a key, or with null of the account. */
export type Trial =
  | { rule: RuleInput; id: string | null }
  | { limit: AccountSpendLimit; keyId: string | null }

/** After the last key that was pressed. */
const PAUSE_MS = 350

/** The effect of the trial in the past. `history`: whether imported calls count. Without data until it is known, and for no trial. */
export function useRehearsal(
  trial: Trial | null,
  history: boolean,
): { data: Rehearsal | undefined; error: ApiError | null } {
  const text = useSettled(trial && JSON.stringify(trial))
  const { data, error } = useQuery({
    ...query(['rehearsal', text, history], () => rehearse(JSON.parse(text ?? ''), history)),
    enabled: text !== null,
    placeholderData: (before) => before,
    gcTime: 0,
  })
  return text === null ? { data: undefined, error: null } : { data, error }
}

function rehearse(trial: Trial, history: boolean): Promise<Rehearsal> {
  if ('limit' in trial) return api('rehearse', { body: { ...trial, history } })
  const { id, rule } = trial
  return api('rehearse', { body: { rule, history, ...(id !== null && { id }) } })
}

/** A value once it has been the same for a moment; the first one immediately. */
function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}

/** "$5.00 per day on claude-*" */
export function describeLimit(limit: AccountSpendLimit): string {
  return `${formatUsd(limit.usd)} ${describeKind(limit)}`
}

/** Puts the rule or the limit in force, and offers to undo that. */
export function enableTrial(trial: Trial): Promise<void> {
  return 'rule' in trial ? enableRule(trial.id, trial.rule) : enableLimit(trial)
}

async function enableLimit({ limit, keyId }: Extract<Trial, { keyId: unknown }>): Promise<void> {
  const owner = keyId === null ? await api('getAccount') : await api('getKey', { params: { id: keyId } })
  const before: AccountSpendLimit[] = owner.spendLimits.map(withoutState)
  const at = before.findIndex((one) => isSameLimit(one, limit))
  const after = at < 0 ? [...before, limit] : before.with(at, limit)
  const update = (spendLimits: AccountSpendLimit[], main: object = {}) =>
    keyId === null ? updateAccount({ spendLimits, ...main }) : updateKey(keyId, { spendLimits, ...main })
  // A list without the cap or the monthly limit keeps it.
  const main =
    'spendLimitUsd' in owner
      ? { spendLimitUsd: owner.spendLimitUsd }
      : { monthlyLimitUsd: owner.monthlyLimitUsd }
  await saveWithUndo({
    message: `The limit is now ${describeLimit(limit)}.`,
    save: () => update(after),
    undo: () => update(before, main),
  })
}
