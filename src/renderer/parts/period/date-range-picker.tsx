import { useQuery } from '@tanstack/react-query'
import { CalendarDays, ChevronDown, ChevronLeft, ChevronRight } from 'lucide-react'
import { Popover } from 'radix-ui'
import { useState } from 'react'
import { Link } from 'wouter'
import {
  type DateRange,
  formatRange,
  formatRangeDates,
  LAST_12_MONTHS,
  stepRange,
} from '../../data/date-range.ts'
import { useTimeZone } from '../../data/hooks.ts'
import { queries } from '../../data/queries.ts'
import { Button } from '../../kit/button.tsx'
import { cn } from '../../kit/cn.ts'
import { lazyView } from '../../kit/lazy-view.tsx'
import { PopoverPanel } from '../../kit/popover-panel.tsx'
import { useNow } from '../../kit/use-now.ts'

export interface DateRangePickerProps {
  /** Null: all time. */
  range: DateRange | null
  onChange: (range: DateRange) => void
  /** Offers "All time". */
  onClear?: () => void
  small?: boolean
}

// The calendar is needed only once it is opened.
const panel = lazyView(
  async () => (await import('./date-range-panel.tsx')).DateRangePanel,
  () => <div className="h-[476px] w-[400px]" />,
)

const edge = 'border border-line-strong bg-surface hover:bg-sunken disabled:hover:bg-surface'

/** The range of time of a view, with buttons for the one before and the one after. */
export function DateRangePicker({ range, onChange, onClear, small = false }: DateRangePickerProps) {
  const [open, setOpen] = useState(false)
  const zone = useTimeZone() ?? 'UTC'
  const now = useNow()
  const label = range ? formatRange(range, now, zone) : 'All time'
  const dates = range ? formatRangeDates(range, now, zone) : 'All time'
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend
    <div role="group" aria-label="Date range" className={cn('flex shrink-0', small ? 'h-7' : 'h-8')}>
      <StepButton by={-1} range={range} onChange={onChange} />
      <Popover.Root open={open} onOpenChange={setOpen}>
        <Popover.Trigger asChild>
          <button
            type="button"
            aria-label={`Date range: ${label}`}
            title={dates}
            className={cn(
              edge,
              'relative -mx-px inline-flex min-w-0 items-center gap-1.5 px-2.5 text-ink focus-visible:z-10 data-[state=open]:bg-sunken',
              small && 'text-sm',
            )}
          >
            <CalendarDays size={14} aria-hidden className="shrink-0 text-ink-3" />
            <span className="truncate">{label}</span>
            <ChevronDown size={14} aria-hidden className="shrink-0 text-ink-3" />
          </button>
        </Popover.Trigger>
        <PopoverPanel
          align="end"
          aria-label="Date range"
          className="max-h-(--radix-popover-content-available-height) overflow-y-auto"
        >
          <panel.View
            range={range}
            now={now}
            zone={zone}
            onClear={
              onClear &&
              (() => {
                setOpen(false)
                onClear()
              })
            }
            onChange={(chosen) => {
              setOpen(false)
              onChange(chosen)
            }}
          />
        </PopoverPanel>
      </Popover.Root>
      <StepButton by={1} range={range} onChange={onChange} />
    </div>
  )
}

function StepButton({
  by,
  range,
  onChange,
}: { by: -1 | 1 } & Pick<DateRangePickerProps, 'range' | 'onChange'>) {
  const zone = useTimeZone() ?? 'UTC'
  const now = useNow()
  const next = range && stepRange(range, by, now, zone)
  const Icon = by < 0 ? ChevronLeft : ChevronRight
  return (
    <button
      type="button"
      aria-label={by < 0 ? 'Previous range' : 'Next range'}
      title={next ? formatRangeDates(next, now, zone) : undefined}
      disabled={!next}
      onClick={() => next && onChange(next)}
      className={cn(
        edge,
        'relative inline-flex w-7 shrink-0 items-center justify-center text-ink-2 focus-visible:z-10 disabled:text-line-strong',
        by < 0 ? 'rounded-l-md' : 'rounded-r-md',
      )}
    >
      <Icon size={14} aria-hidden />
    </button>
  )
}

interface EmptyPeriodActionProps {
  range: DateRange
  onRange: (range: DateRange) => void
}

/** Leads out of a range without requests: to a longer one, or to Connect if there has never been a request or no longer range. */
export function EmptyPeriodAction({ range, onRange }: EmptyPeriodActionProps) {
  const isLongest = 'preset' in range && range.preset === LAST_12_MONTHS.preset
  return useHasRequests() && !isLongest ? (
    <Button onClick={() => onRange(LAST_12_MONTHS)}>Show the last 12 months</Button>
  ) : (
    <Link href="/connect" className="font-medium text-accent-ink hover:underline">
      Connect a tool
    </Link>
  )
}

/** Whether a key was ever used. The window's own key is an admin key, and sends no requests to models. */
export function useHasRequests(): boolean {
  const { data: keys } = useQuery(queries.keys)
  return keys === undefined || keys.some(({ scope, lastUsedAt }) => scope !== 'admin' && lastUsedAt !== null)
}
