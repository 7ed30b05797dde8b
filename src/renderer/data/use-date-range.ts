import { useCallback, useMemo } from 'react'
import { useLocation, useSearch } from 'wouter'
import { type DateRange, rangeFromSearch, rangeToQuery } from './date-range.ts'

/** The range of the address, `fallback` where it names none. Other parameters of the address stay when it is changed. */
export function useDateRange(fallback: DateRange): [DateRange, (range: DateRange) => void] {
  const search = useSearch()
  const [path, navigate] = useLocation()
  const text = new URLSearchParams(rangeToQuery(rangeFromSearch(search))).toString()
  const range = useMemo(() => rangeFromSearch(text) ?? fallback, [text, fallback])
  const change = useCallback(
    (next: DateRange) => {
      const params = new URLSearchParams(search)
      for (const name of ['range', 'from', 'to']) params.delete(name)
      for (const [name, value] of Object.entries(rangeToQuery(next))) params.set(name, value)
      navigate(`${path}?${params}`, { replace: true })
    },
    [search, path, navigate],
  )
  return [range, change]
}
