import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { create } from 'zustand'
import { isSameLimit } from '../../../shared/limits/limits.ts'
import { type DateRange, resolveRange } from '../../data/date-range.ts'
import { useTimeZone } from '../../data/hooks.ts'
import { chooseUnit, possibleUnits, type Unit } from '../../data/periods.ts'
import { queries } from '../../data/queries.ts'
import { type Usage, type UsageScope, usageIn } from '../../data/usage.ts'
import type { ApiError } from '../../kit/api-error.ts'
import { useNow } from '../../kit/use-now.ts'

export interface OverviewRange extends UsageScope {
  range: DateRange
  /** The units that can be chosen. */
  units: readonly Unit[]
  /** The unit that is chosen unless the user chooses one. */
  automatic: Unit
  /** Whether the time zone, and therefore the limits of the range, are known. */
  known: boolean
}

/** The unit that the user chose, also after the view was left; null for the automatic one. */
export const useChosenUnit = create<{ unit: Unit | null }>()(() => ({ unit: null }))

/** The range of the view, with its limits and the unit by which it is divided. */
export function useOverviewRange(range: DateRange): OverviewRange {
  const timeZone = useTimeZone()
  const zone = timeZone ?? 'UTC'
  const { start, end } = resolveRange(range, useNow(), zone)
  const chosen = useChosenUnit(({ unit }) => unit)
  return useMemo(() => {
    const span = { start, end }
    const units = possibleUnits(span)
    const automatic = chooseUnit(span)
    const unit = units.find((one) => one === chosen) ?? automatic
    return { range, span, zone, unit, units, automatic, known: timeZone !== undefined }
  }, [range, start, end, zone, chosen, timeZone])
}

/**
 * Usage in the range, by its unit. The last 30 days by day are read in any case; another range takes three requests. While it is
 * read, the usage of the previous range is shown.
 */
export function useOverviewUsage(scope: OverviewRange): {
  data: Usage | undefined
  error: ApiError | null
  /** The data is that of another range. */
  stale: boolean
} {
  const { range, unit, known } = scope
  const isRecent = 'preset' in range && range.preset === '30d' && unit === 'day'
  const recent = useQuery(queries.usage)
  const ranged = useQuery({
    ...usageIn(scope),
    enabled: known && !isRecent,
    placeholderData: (before) => before ?? recent.data,
  })
  const { data, error, isPlaceholderData } = isRecent ? { ...recent, isPlaceholderData: false } : ranged
  return { data, error: data ? null : error, stale: isPlaceholderData }
}

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
