import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api } from '../../../renderer/data/api.ts'
import { query } from '../../../renderer/data/query-client.ts'
import { chooseUsdDecimals, formatDay, formatUsd } from '../../../renderer/kit/format.ts'
import type { RehearsedLimit } from '../../../shared/api/rehearsal.ts'
import type { AccountSpendLimit } from '../../../shared/api/spend-limits.ts'
import { isOfRuns, type LimitRef } from '../../../shared/limits/limits.ts'

/** After the last key that was pressed. */
const PAUSE_MS = 350

/**
 * When limits would have stopped requests of the last days. `keyId`: null for all keys together. Undefined until it is known, and
 * while nothing is tried (null).
 */
export function useRehearsal(
  keyId: string | null,
  limits: readonly AccountSpendLimit[] | null,
): readonly RehearsedLimit[] | undefined {
  const text = useSettled(limits === null ? null : JSON.stringify(limits))
  const { data } = useQuery({
    ...query(['rehearsal', keyId, text], () => rehearse(keyId, JSON.parse(text ?? '[]'))),
    enabled: text !== null,
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
  return text === null ? undefined : data
}

/** The amount's limit, and the past on which it is tried. */
interface RehearsedAmount extends LimitRef {
  /** The name of the key, or "your keys". */
  who: string
}

/** The effect in the past of a limit of this amount; null while nothing is tried or known. */
export function useAmountRehearsal(tried: RehearsedAmount | undefined, usd: number | null): string | null {
  const limit = tried === undefined || usd === null ? null : { ...tried.kind, usd }
  const [result] = useRehearsal(tried?.keyId ?? null, limit && [limit]) ?? []
  return tried && limit && result ? describeRehearsal(result, { per: limit.per, who: tried.who }) : null
}

async function rehearse(
  keyId: string | null,
  spendLimits: AccountSpendLimit[],
): Promise<readonly RehearsedLimit[]> {
  const { limits } =
    keyId === null
      ? await api('rehearseAccountLimits', { body: { spendLimits } })
      : await api('rehearseKeyLimits', { params: { id: keyId }, body: { spendLimits } })
  return limits
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
  if (isOfRuns(per)) {
    const run = per === 'session' ? 'session' : 'sub-agent'
    const runs = stopCount === 1 ? `1 ${run}` : `${stopCount} ${run}s`
    return `Would have ${verb} ${runs} of ${who} in the last 30 days.${saved}`
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
