import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useEffect, useState } from 'react'
import { DayPicker } from 'react-day-picker'

interface Days {
  firstDay: string
  /** Null while only the first day is chosen. */
  lastDay: string | null
}

interface DayCalendarProps {
  firstDay: string | null
  lastDay: string | null
  today: string
  onSelect: (days: Days) => void
}

/** A month in which two days select a range. */
export function DayCalendar({ firstDay, lastDay, today, onSelect }: DayCalendarProps) {
  const now = toLocalDate(today)
  const latest = lastDay ?? firstDay
  const [month, setMonth] = useState(() => (latest ? toLocalDate(latest) : now))
  // The calendar follows what is typed.
  useEffect(() => {
    if (latest) setMonth(toLocalDate(latest))
  }, [latest])
  const selected = firstDay
    ? { from: toLocalDate(firstDay), to: lastDay ? toLocalDate(lastDay) : undefined }
    : undefined
  return (
    <DayPicker
      mode="range"
      selected={selected}
      onSelect={(_, day) => {
        const clicked = fromLocalDate(day)
        // The first click begins a range, the second one ends it.
        if (firstDay === null || lastDay !== null) onSelect({ firstDay: clicked, lastDay: null })
        else if (clicked < firstDay) onSelect({ firstDay: clicked, lastDay: firstDay })
        else onSelect({ firstDay, lastDay: clicked })
      }}
      today={now}
      month={month}
      onMonthChange={setMonth}
      endMonth={now}
      disabled={{ after: now }}
      weekStartsOn={1}
      fixedWeeks
      showOutsideDays
      components={{
        Chevron: ({ orientation }) =>
          orientation === 'left' ? (
            <ChevronLeft size={14} aria-hidden />
          ) : (
            <ChevronRight size={14} aria-hidden />
          ),
      }}
      classNames={{
        root: 'relative',
        month_caption: 'flex h-7 items-center px-2 font-medium',
        nav: 'absolute top-0 right-0 flex gap-1',
        button_previous: navButton,
        button_next: navButton,
        month_grid: 'mt-2 border-collapse',
        weekday: 'h-6 w-8 font-medium text-ink-3 text-xs',
        day: 'group p-0 py-px text-center text-sm',
        day_button:
          'size-8 rounded-md tabular-nums hover:bg-sunken disabled:text-line-strong disabled:hover:bg-transparent group-data-[selected=true]:rounded-none',
        outside: 'text-ink-3',
        today: 'font-semibold text-accent-ink',
        range_start: '[&>button]:rounded-l-md! [&>button]:bg-accent! [&>button]:text-white',
        range_end: '[&>button]:rounded-r-md! [&>button]:bg-accent! [&>button]:text-white',
        range_middle: '[&>button]:bg-accent-soft [&>button]:text-ink',
      }}
    />
  )
}

const navButton =
  'inline-flex size-7 items-center justify-center rounded-md text-ink-2 hover:bg-sunken hover:text-ink aria-disabled:pointer-events-none aria-disabled:text-line-strong'

// The calendar counts in local dates, of which only the day matters.
function toLocalDate(day: string): Date {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date)
}

function fromLocalDate(date: Date): string {
  return new Date(Date.UTC(date.getFullYear(), date.getMonth(), date.getDate())).toISOString().slice(0, 10)
}
