import { useMemo } from 'react'
import { useProviderNames, useTimeZone } from '../../data/hooks.ts'
import { getDay } from '../../kit/format.ts'
import { useNow } from '../../kit/use-now.ts'
import type { CellContext } from './log-columns.tsx'

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
