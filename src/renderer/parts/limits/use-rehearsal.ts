import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { RehearsedLimit } from '../../../shared/api/rehearsal.ts'
import type { AccountSpendLimit } from '../../../shared/api/spend-limits.ts'
import { api } from '../../data/api.ts'
import { query } from '../../data/query-client.ts'

/** The limits to try. The cap is that of a key, or the monthly limit of the account. */
export interface RehearsedLimits {
  capUsd?: number | null
  spendLimits?: readonly AccountSpendLimit[]
}

/** After the last key that was pressed. */
const PAUSE_MS = 350

/**
 * When limits would have stopped requests of the last days. `keyId`: null for all keys together. Undefined until it is known, and
 * while nothing is tried (null).
 */
export function useRehearsal(
  keyId: string | null,
  limits: RehearsedLimits | null,
): readonly RehearsedLimit[] | undefined {
  const text = useSettled(limits === null ? null : JSON.stringify(limits))
  const { data } = useQuery({
    ...query(['rehearsal', keyId, text], () => rehearse(keyId, JSON.parse(text ?? '{}'))),
    enabled: text !== null,
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
  return text === null ? undefined : data
}

async function rehearse(
  keyId: string | null,
  { capUsd, spendLimits = [] }: RehearsedLimits,
): Promise<readonly RehearsedLimit[]> {
  const { limits } =
    keyId === null
      ? await api('rehearseAccountLimits', {
          body: {
            spendLimits: [...spendLimits],
            ...(capUsd === undefined ? {} : { monthlyLimitUsd: capUsd }),
          },
        })
      : await api('rehearseKeyLimits', {
          params: { id: keyId },
          body: { spendLimits: [...spendLimits], ...(capUsd === undefined ? {} : { spendLimitUsd: capUsd }) },
        })
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
