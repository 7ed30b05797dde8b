import { ListFilter } from 'lucide-react'
import { Popover } from 'radix-ui'
import { countFilters, noFilter, type RequestFilter } from '../../data/request-filter.ts'
import { Button } from '../../kit/button.tsx'
import { PopoverPanel } from '../../kit/popover-panel.tsx'
import { FilterSelects } from './filter-selects.tsx'

interface FilterPanelProps {
  filter: RequestFilter
  onChange: (filter: RequestFilter) => void
}

/** The filters behind one button, for narrow windows. */
export function FilterPanel({ filter, onChange }: FilterPanelProps) {
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
