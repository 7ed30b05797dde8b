import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useSearchParams } from 'wouter'
import { api } from '../../../renderer/data/api.ts'
import { type DateRange, LAST_30_DAYS, resolveRange } from '../../../renderer/data/date-range.ts'
import { useTimeZone } from '../../../renderer/data/hooks.ts'
import { queries } from '../../../renderer/data/queries.ts'
import { volatileQuery } from '../../../renderer/data/query-client.ts'
import { emptyUsage } from '../../../renderer/data/usage.ts'
import { useDateRange } from '../../../renderer/data/use-date-range.ts'
import { useNow } from '../../../renderer/kit/use-now.ts'
import type { RepricedModel, Repricing } from '../api/repricing.ts'

/** Which requests are priced, by their parameters in the address and in the API. */
export const REPRICING_FILTERS = ['key', 'client', 'model', 'tag'] as const
type RepricingFilter = Partial<Record<(typeof REPRICING_FILTERS)[number], string>>

export interface RepricingAddress {
  filter: RepricingFilter
  range: DateRange
  setRange: (range: DateRange) => void
  setFilter: (filter: RepricingFilter) => void
  /** The model that the user chose to look at; null for none. */
  chosen: string | null
  choose: (model: string) => void
}

export function useRepricingAddress(): RepricingAddress {
  const [search, setSearch] = useSearchParams()
  const [range, setRange] = useDateRange(LAST_30_DAYS)
  const filter: RepricingFilter = {}
  for (const name of REPRICING_FILTERS) {
    const value = search.get(name)
    if (value !== null) filter[name] = value
  }
  const set = (params: Readonly<Record<string, string | undefined>>) =>
    setSearch(
      (before) => {
        for (const [name, value] of Object.entries(params)) {
          if (value === undefined) before.delete(name)
          else before.set(name, value)
        }
        return before
      },
      { replace: true },
    )
  return {
    filter,
    range,
    setRange,
    setFilter: (next) => set(Object.fromEntries(REPRICING_FILTERS.map((name) => [name, next[name]]))),
    chosen: search.get('on'),
    choose: (model) => set({ on: model }),
  }
}

/** The costs with all models, or those of one with its parts. While others are read, the previous ones stay. */
export function useRepricing({ filter, range }: RepricingAddress, candidate: string | null = null) {
  const zone = useTimeZone()
  const now = useNow()
  const { start, end } = resolveRange(range, now, zone ?? 'UTC')
  const query = {
    ...filter,
    from: new Date(start).toISOString(),
    to: new Date(end).toISOString(),
    ...(candidate === null ? {} : { candidate }),
  }
  return useQuery({
    ...volatileQuery(['repricing', query], () => api('getRepricing', { query })),
    placeholderData: keepPreviousData,
    enabled: zone !== undefined,
    gcTime: 5 * 60_000,
  })
}

/** A model is of the same class if it could have served nearly as much as the one that could have served most, … */
const NEARLY = 0.9
/** … and costs at least this part of what was charged: much cheaper models are rarely as able. */
const CLASS_PRICE = 0.2

/** The models that a reader would compare with those in use: of known limits, as able as others, and of a similar price. */
export function listSameClass(data: readonly RepricedModel[]): RepricedModel[] {
  const most = Math.max(0, ...data.map(({ served }) => served))
  return data.filter(
    ({ served, limitsKnown, costUsd, chargedUsd }) =>
      served > 0 && limitsKnown && served >= most * NEARLY && costUsd >= chargedUsd * CLASS_PRICE,
  )
}

/** The model to begin with: of those of the same class, one in use if there is one, that saves most; else the one of all. */
export function useBestModel(repricing: Repricing | undefined): RepricedModel | null {
  const { data: usage = emptyUsage } = useQuery(queries.usage)
  return useMemo(() => {
    const able = (repricing?.data ?? []).filter(({ served }) => served > 0)
    const same = listSameClass(able)
    const used = new Set(usage.models.map(({ group }) => group))
    const familiar = same.filter(({ model }) => used.has(model))
    const saving = ({ chargedUsd, costUsd }: RepricedModel) => chargedUsd - costUsd
    const [from = []] = [familiar, same, able].filter(({ length }) => length > 0)
    return from.toSorted((a, b) => saving(b) - saving(a))[0] ?? null
  }, [repricing, usage])
}
