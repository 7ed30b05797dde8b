// The imported history of agents, and whether views show it.

import { useQuery } from '@tanstack/react-query'
import { create } from 'zustand'
import { api } from '../../../renderer/data/api.ts'
import { groupByPeriod, type PeriodUsage, periodsIn } from '../../../renderer/data/periods.ts'
import { queries } from '../../../renderer/data/queries.ts'
import { type Query, query, replace } from '../../../renderer/data/query-client.ts'
import type { UsageFilter } from '../../../renderer/data/request-link.ts'
import { KEPT_MS, type UsageScope } from '../../../renderer/data/usage.ts'
import type { UsageQuery } from '../../../shared/api/usage.ts'

/** Explains an amount of imported calls. */
export const HISTORY_NOTE =
  'At list prices of that day, from the logs of agents. It counts under no limit and is in no total of Tollgate.'

const SLOT = 'tollgate.withHistory'

const useChoice = create(() => ({ on: globalThis.localStorage?.getItem(SLOT) !== 'off' }))

/** The choice of the switch; null where nothing was imported. */
export function useHistoryChoice(): boolean | null {
  const { data } = useQuery(queries.history)
  const on = useChoice((choice) => choice.on)
  return data?.imported.some(({ calls }) => calls > 0) ? on : null
}

export function chooseHistory(on: boolean): void {
  localStorage.setItem(SLOT, on ? 'on' : 'off')
  useChoice.setState({ on })
}

/** Imported calls by the periods of a range. The key begins with `usage-in`, by which the end of an import refreshes what is shown. */
export function historyIn({ span, unit, zone }: UsageScope, filter: UsageFilter = {}): Query<PeriodUsage[]> {
  const request: Partial<UsageQuery> = {
    groupBy: unit,
    timeZone: zone,
    ...filter,
    history: 'true',
    from: new Date(span.start).toISOString(),
    to: new Date(span.end).toISOString(),
  }
  const read = async () => {
    const { data } = await api('getUsage', { query: request })
    return groupByPeriod(
      data.filter(({ origin }) => origin === 'import'),
      periodsIn(span, unit, zone),
    )
  }
  return { ...query(['usage-in', 'history', request], read), gcTime: KEPT_MS }
}

export async function importHistory(): Promise<void> {
  await replace(queries.history, await api('importHistory', { body: {} }))
}

export async function cancelImport(): Promise<void> {
  await replace(queries.history, await api('cancelHistoryImport'))
}
