import type { LimitKind } from '../../../shared/limits/limits.ts'
import { describeRehearsal } from './rehearsal-text.ts'
import { useRehearsal } from './use-rehearsal.ts'

/** The amount's limit, and the past on which it is tried. */
export interface RehearsedAmount {
  /** Null for all keys together. */
  keyId: string | null
  /** The name of the key, or "your keys". */
  who: string
  /** Null for the cap of the key, or the monthly limit. */
  kind: LimitKind | null
}

/** The effect in the past of a limit of this amount; null while nothing is tried or known. */
export function useAmountRehearsal(tried: RehearsedAmount | undefined, usd: number | null): string | null {
  const isTried = tried !== undefined && usd !== null
  const kind = tried?.kind ?? null
  const limits = !isTried ? null : kind === null ? { capUsd: usd } : { spendLimits: [{ ...kind, usd }] }
  const [result] = useRehearsal(tried?.keyId ?? null, limits) ?? []
  if (!isTried || result === undefined) return null
  const per = kind?.per ?? (tried.keyId === null ? 'month' : 'lifetime')
  return describeRehearsal(result, { per, who: tried.who })
}
