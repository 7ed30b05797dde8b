import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { isSameLimit } from '../../../shared/limits/limits.ts'
import { queries } from '../../data/queries.ts'

export const DAILY = { per: 'day' } as const

/** The daily limit of all keys in USD, and the one that is tried. */
export interface CapLine {
  limitUsd: number | null
  triedUsd: number | null
  tryUsd: (usd: number | null) => void
}

export function useCapLine(): CapLine {
  const { data: account } = useQuery(queries.account)
  const [triedUsd, tryUsd] = useState<number | null>(null)
  const limitUsd = account?.spendLimits.find((one) => isSameLimit(one, DAILY))?.usd ?? null
  return { limitUsd, triedUsd, tryUsd }
}
