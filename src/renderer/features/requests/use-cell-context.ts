import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { ProviderRecord } from '../../../shared/api/providers.ts'
import { useTimeZone } from '../../data/hooks.ts'
import { queries } from '../../data/queries.ts'
import { getDay } from '../../kit/format.ts'
import { useNow } from '../../parts/controls/relative-time.tsx'
import type { CellContext } from './log-columns.tsx'

const noNames: ReadonlyMap<string, string> = new Map()
const selectNames = (providers: readonly ProviderRecord[]) =>
  new Map(providers.map(({ id, name }) => [id, name]))

/** The names of providers, by id. Empty until they have been read. */
export function useProviderNames(): ReadonlyMap<string, string> {
  return useQuery({ ...queries.providers, select: selectNames }).data ?? noNames
}

/** Its time stays the same until tomorrow, so that rows do not render whenever the clock ticks. */
export function useCellContext(): CellContext {
  const timeZone = useTimeZone()
  const clock = useNow()
  const day = getDay(clock, timeZone)
  // biome-ignore lint/correctness/useExhaustiveDependencies: any time of the day will do
  const now = useMemo(() => clock, [day])
  const providerNames = useProviderNames()
  return useMemo(() => ({ now, timeZone, providerNames }), [now, timeZone, providerNames])
}
