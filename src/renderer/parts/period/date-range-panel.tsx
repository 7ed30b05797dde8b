import { type FormEvent, type KeyboardEvent, type ReactNode, useState } from 'react'
import { dayName } from '../../../shared/values/calendar.ts'
import { parseTypedDay } from '../../data/calendar-days.ts'
import { type DateRange, PRESETS, toDays } from '../../data/date-range.ts'
import { Button } from '../../kit/button.tsx'
import { cn } from '../../kit/cn.ts'
import { DayCalendar } from '../../kit/day-calendar.tsx'
import { TextField } from '../../kit/field.tsx'
import { formatDate } from '../../kit/format.ts'

interface DateRangePanelProps {
  range: DateRange | null
  now: number
  zone: string
  onChange: (range: DateRange) => void
  onClear: (() => void) | undefined
}

/** Named ranges, a calendar, and two fields for typing. */
export function DateRangePanel({ range, now, zone, onChange, onClear }: DateRangePanelProps) {
  const today = dayName(now, zone)
  const shown = range ? toDays(range, now, zone) : null
  const [first, setFirst] = useState(shown ? formatDate(shown.firstDay, 'UTC') : '')
  const [last, setLast] = useState(shown ? formatDate(shown.lastDay, 'UTC') : '')
  const [submitted, setSubmitted] = useState(false)
  const firstDay = parseTypedDay(first, today)
  const lastDay = parseTypedDay(last, today)
  const problem = (day: string | null) => (submitted && day === null ? 'Type a date like 7 Nov 2026.' : null)
  const reversed = submitted && firstDay !== null && lastDay !== null && firstDay > lastDay

  const apply = (event: FormEvent) => {
    event.preventDefault()
    setSubmitted(true)
    if (firstDay !== null && lastDay !== null && firstDay <= lastDay) onChange({ firstDay, lastDay })
  }
  return (
    <div className="flex">
      <Choices>
        {onClear ? <Choice label="All time" chosen={range === null} onChoose={onClear} /> : null}
        {PRESETS.map(({ preset, label }) => (
          <Choice
            key={preset}
            label={label}
            chosen={range !== null && 'preset' in range && range.preset === preset}
            onChoose={() => onChange({ preset })}
          />
        ))}
      </Choices>
      <form noValidate className="flex flex-col gap-3 border-line border-l p-3" onSubmit={apply}>
        <DayCalendar
          firstDay={firstDay}
          lastDay={lastDay}
          today={today}
          onSelect={(days) => {
            setFirst(formatDate(days.firstDay, 'UTC'))
            setLast(days.lastDay === null ? '' : formatDate(days.lastDay, 'UTC'))
            setSubmitted(false)
          }}
        />
        <div className="flex w-59 items-start gap-2">
          <TextField
            label="From"
            value={first}
            onChange={setFirst}
            error={problem(firstDay)}
            className="min-w-0 flex-1"
          />
          <TextField
            label="To"
            value={last}
            onChange={setLast}
            error={reversed ? 'This is before the first day.' : problem(lastDay)}
            className="min-w-0 flex-1"
          />
        </div>
        <Button type="submit" variant="primary" small className="self-end">
          Apply
        </Button>
      </form>
    </div>
  )
}

/** A list in which the arrow keys move the focus. */
function Choices({ children }: { children: ReactNode }) {
  const onKeyDown = (event: KeyboardEvent<HTMLUListElement>) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (by === undefined) return
    const buttons = [...event.currentTarget.querySelectorAll('button')]
    const index = buttons.findIndex((button) => button.matches(':focus'))
    buttons[(index + by + buttons.length) % buttons.length]?.focus()
    event.preventDefault()
  }
  return (
    <ul className="flex w-36 flex-col gap-px p-1.5" onKeyDown={onKeyDown}>
      {children}
    </ul>
  )
}

function Choice({ label, chosen, onChoose }: { label: string; chosen: boolean; onChoose: () => void }) {
  return (
    <li>
      <button
        type="button"
        aria-pressed={chosen}
        onClick={onChoose}
        className={cn(
          'flex h-8 w-full items-center rounded-md px-2.5 text-left',
          chosen ? 'bg-accent-soft font-medium text-accent-ink' : 'hover:bg-sunken',
        )}
      >
        {label}
      </button>
    </li>
  )
}
