import { ListFilter, X } from 'lucide-react'
import { Popover } from 'radix-ui'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { cn } from './cn.ts'
import { IconButton } from './icon-button.tsx'
import { PopoverPanel } from './popover-panel.tsx'
import { type Option, Select } from './select.tsx'

interface FilterBarProps {
  /** The bar is at the top of a page, of a card, or stands alone. */
  look?: 'page' | 'card' | 'plain'
  /** Removes the filter; null while there is none. */
  onClear?: (() => void) | null
  /** The number of rows that are shown, with their noun. */
  count?: string
  children: ReactNode
}

const looks = {
  page: 'border-b px-6 py-2.5 max-sm:px-4',
  card: 'border-b px-4 py-2.5',
  plain: '',
}

/** The filters of a list. */
export function FilterBar({ look = 'page', onClear = null, count, children }: FilterBarProps) {
  return (
    <search
      className={cn(look === 'page' && '@container shrink-0 overflow-hidden [scrollbar-gutter:stable]')}
    >
      <div className={cn('flex flex-wrap items-center gap-1.5', looks[look])}>
        {children}
        {onClear ? <IconButton small label="Clear filter" icon={X} onClick={onClear} /> : null}
        {count === undefined ? null : <span className="ml-auto text-ink-3 text-sm">{count}</span>}
      </div>
    </search>
  )
}

interface FoldedFiltersProps {
  /** How many of them are set. */
  count: number
  onClear: () => void
  /** Receives the class of each field. */
  children: (fieldClass: string) => ReactNode
}

/** The filters of a page: where they do not fit next to each other, they are behind one button. */
export function FoldedFilters({ count, onClear, children }: FoldedFiltersProps) {
  return (
    <>
      <div className="@min-[62rem]:hidden">
        <Popover.Root>
          <Popover.Trigger asChild>
            <Button small icon={ListFilter} className="font-normal">
              {count === 0 ? 'Filters' : `Filters (${count})`}
            </Button>
          </Popover.Trigger>
          <PopoverPanel
            align="start"
            aria-label="Filters"
            className="flex max-h-(--radix-popover-content-available-height) w-64 flex-col gap-2 overflow-y-auto p-3"
          >
            {children('w-full')}
            {count === 0 ? null : (
              <Button small variant="quiet" onClick={onClear}>
                Clear filters
              </Button>
            )}
          </PopoverPanel>
        </Popover.Root>
      </div>
      {/* All seven of the log fit in one line of the window at its first size. */}
      <div className="@max-[62rem]:hidden flex min-w-0 items-center gap-1.5">
        {children('min-w-20 max-w-40')}
      </div>
    </>
  )
}

/** The value of the option for no filter. Contains spaces, so it can never be an id. */
const ANY = ' any '
/** The value of the option for nothing: a select cannot have a blank one. */
const NONE = ' none '

interface FilterSelectProps<Value extends string> {
  label: string
  /** The option that removes the filter. */
  any: string
  options: readonly Option<Value>[]
  value: Value | null
  onChange: (value: Value | null) => void
  className?: string
}

export function FilterSelect<Value extends string>({
  any,
  options,
  value,
  onChange,
  className = 'min-w-20 max-w-40',
  label,
}: FilterSelectProps<Value>) {
  // The chosen option may no longer exist.
  const isKnown = value === null || options.some((option) => option.value === value)
  const known: readonly Option<Value>[] = isKnown ? options : [...options, { value, label: value || 'None' }]
  return (
    <Select<string>
      small
      label={label}
      value={value === null ? ANY : value || NONE}
      options={[
        { value: ANY, label: any },
        ...known.map((option) => ({ ...option, value: option.value || NONE })),
      ]}
      onChange={(next) => onChange(known.find((option) => (option.value || NONE) === next)?.value ?? null)}
      className={className}
    />
  )
}
