import { ListFilter, X } from 'lucide-react'
import { Popover } from 'radix-ui'
import { useEffect, useRef, useState } from 'react'
import { countFilters, filterToSearch, noFilter, type RequestFilter } from '../../data/request-filter.ts'
import { Button } from '../../kit/button.tsx'
import { IconButton } from '../../kit/icon-button.tsx'
import { PopoverPanel } from '../../kit/popover-panel.tsx'
import { SearchField } from '../../kit/search-field.tsx'
import { DateRangePicker } from '../../parts/period/date-range-picker.tsx'
import { FilterSelects } from './filter-selects.tsx'

const PAUSE_MS = 250

interface FilterBarProps {
  filter: RequestFilter
  onChange: (filter: RequestFilter) => void
}

/** Where not all filters fit, they are behind one button. */
export function FilterBar({ filter, onChange }: FilterBarProps) {
  return (
    <search className="@container shrink-0 overflow-hidden border-line border-b [scrollbar-gutter:stable]">
      <div className="flex flex-wrap items-center gap-2 px-6 py-2.5 max-sm:px-4">
        <TextFilter filter={filter} onChange={onChange} />
        <DateRangePicker
          small
          range={filter.range}
          onChange={(range) => onChange({ ...filter, range })}
          onClear={() => onChange({ ...filter, range: null })}
        />
        <div className="@min-[62rem]:hidden">
          <FilterPanel filter={filter} onChange={onChange} />
        </div>
        <div className="@max-[62rem]:hidden flex min-w-0 items-center gap-2">
          <FilterSelects filter={filter} onChange={onChange} selectClassName="min-w-20 max-w-40" />
        </div>
        {filterToSearch(filter) ? (
          <IconButton small label="Clear filter" icon={X} onClick={() => onChange(noFilter)} />
        ) : null}
      </div>
    </search>
  )
}

/** Filters once the user pauses. */
function TextFilter({ filter, onChange }: FilterBarProps) {
  const [text, setText] = useState(filter.text)
  const latest = useRef({ filter, onChange })
  useEffect(() => {
    latest.current = { filter, onChange }
  })

  useEffect(() => setText(filter.text), [filter.text])
  useEffect(() => {
    const timer = setTimeout(() => {
      const now = latest.current
      if (text.trim() !== now.filter.text.trim()) now.onChange({ ...now.filter, text })
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return <SearchField label="Search requests" placeholder="Search" value={text} onChange={setText} />
}

interface FilterPanelProps {
  filter: RequestFilter
  onChange: (filter: RequestFilter) => void
}

/** The filters behind one button, for narrow windows. */
function FilterPanel({ filter, onChange }: FilterPanelProps) {
  const count = countFilters(filter)
  return (
    <Popover.Root>
      <Popover.Trigger asChild>
        <Button small icon={ListFilter} className="font-normal">
          {count === 0 ? 'Filters' : `Filters (${count})`}
        </Button>
      </Popover.Trigger>
      <PopoverPanel align="start" aria-label="Filters" className="flex w-64 flex-col gap-2 p-3">
        <FilterSelects filter={filter} onChange={onChange} selectClassName="w-full" />
        {count === 0 ? null : (
          <Button
            small
            variant="quiet"
            onClick={() => onChange({ ...noFilter, range: filter.range, text: filter.text })}
          >
            Clear filters
          </Button>
        )}
      </PopoverPanel>
    </Popover.Root>
  )
}
