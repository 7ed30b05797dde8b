import { ChevronLeft, ChevronRight } from 'lucide-react'
import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { DayPicker } from 'react-day-picker'
import { dayName } from '../../../shared/values/calendar.ts'
import {
  addDays,
  addMonths,
  type DateRange,
  type DayRange,
  lastOfMonth,
  normalizeTyped,
  PRESETS,
  parseTypedDay,
  toDays,
} from '../../data/date-range.ts'
import { Button } from '../../kit/button.tsx'
import { cn } from '../../kit/cn.ts'
import { TextField } from '../../kit/field.tsx'
import { formatDate } from '../../kit/format.ts'
import { moveFocus } from '../../kit/row-focus.ts'

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
  const [typed, setTyped] = useState('')
  const [submitted, setSubmitted] = useState(false)
  const firstDay = parseTypedDay(first, today)
  const lastDay = parseTypedDay(last, today)
  const problem = (day: string | null) => (submitted && day === null ? 'Type a date like 7 Nov 2026.' : null)
  const reversed = submitted && firstDay !== null && lastDay !== null && firstDay > lastDay

  const apply = (event: FormEvent) => {
    event.preventDefault()
    setSubmitted(true)
    if (typed.trim() !== '') {
      const typedRange = parseTypedRange(typed, now, zone)
      if (typedRange) onChange(typedRange)
      return
    }
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
        <TextField
          label="Type a range"
          placeholder="3 h, since Monday, October"
          value={typed}
          onChange={setTyped}
          error={
            submitted && typed.trim() !== '' && parseTypedRange(typed, now, zone) === null
              ? 'Type a range like 3 h, 2 weeks, since Monday, or 1–7 Nov.'
              : null
          }
        />
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
  return (
    <ul className="flex w-36 flex-col gap-px p-1.5" onKeyDown={(event) => moveFocus(event, 'button')}>
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
function DayCalendar({ firstDay, lastDay, today, onSelect }: DayCalendarProps) {
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

// Ranges of time as people type them.

const HOUR_MS = 3_600_000
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

/**
 * `3 h`, `90 min`, `2 weeks`, `since Monday`, `since 3 Nov`, `last week`, `October`, `1 Nov to 7 Nov`, a day, or the name of a
 * preset. Null for anything else, and for a range that has not begun.
 */
export function parseTypedRange(text: string, nowMs: number, zone: string): DateRange | null {
  const typed = normalizeTyped(text)
  const today = dayName(nowMs, zone)
  const named = PRESETS.find(({ label }) => normalizeTyped(label) === typed)
  if (named) return { preset: named.preset }
  const days =
    parseWeek(typed, today) ??
    parseLength(typed, today) ??
    parseSince(typed, today) ??
    parseDays(typed, today)
  if (days) return days.firstDay > today || days.firstDay > days.lastDay ? null : days
  const hours = /^(?:last )?(\d{1,4}) ?(m|min|minutes?|h|hours?)$/.exec(typed)
  if (!hours || Number(hours[1]) === 0) return null
  const unitMs = hours[2]?.startsWith('h') ? HOUR_MS : HOUR_MS / 60
  return { startMs: nowMs - Number(hours[1]) * unitMs, endMs: nowMs }
}

/** Weeks begin on Monday. */
function parseWeek(typed: string, today: string): DayRange | null {
  const monday = addDays(today, -((getWeekday(today) + 6) % 7))
  if (typed === 'this week') return { firstDay: monday, lastDay: today }
  if (typed === 'last week') return { firstDay: addDays(monday, -7), lastDay: addDays(monday, -1) }
  return null
}

/** Days, weeks and months that end today. */
function parseLength(typed: string, today: string): DayRange | null {
  const match = /^(?:last )?(\d{1,3}) ?(d|days?|w|weeks?|months?)$/.exec(typed)
  const count = Number(match?.[1] ?? 0)
  if (!match || count === 0) return null
  if (match[2]?.startsWith('m')) {
    return { firstDay: addMonths(`${today.slice(0, 7)}-01`, 1 - count), lastDay: today }
  }
  const days = match[2]?.startsWith('w') ? count * 7 : count
  return { firstDay: addDays(today, 1 - days), lastDay: today }
}

/** From a day, or the latest day of a weekday, until today. */
function parseSince(typed: string, today: string): DayRange | null {
  const from = /^since (.+)$/.exec(typed)?.[1]
  if (from === undefined) return null
  const weekday = /^[a-z]{3,9}$/.test(from) ? WEEKDAYS.indexOf(from.slice(0, 3)) : -1
  const back = (getWeekday(today) - weekday + 7) % 7
  const firstDay =
    weekday >= 0
      ? addDays(today, -back)
      : from === 'yesterday'
        ? addDays(today, -1)
        : parseTypedDay(from, today)
  return firstDay === null ? null : { firstDay, lastDay: today }
}

/** One day, a month by its name, or two days: `1 Nov to 7 Nov`, `1–7 Nov`, `Nov 1–7`. */
function parseDays(typed: string, today: string): DayRange | null {
  const day = parseTypedDay(typed, today)
  if (day !== null) return { firstDay: day, lastDay: day }
  const month = /^[a-z]{3,9}( \d{4})?$/.test(typed) ? parseTypedDay(`1 ${typed}`, today) : null
  if (month !== null) return { firstDay: month, lastDay: lastOfMonth(month) }
  const [first = '', last = '', more] = typed.split(/ to | ?– ?| - /)
  const ofMonth = /^\d{1,2}(, \d{4})?$/.test(last) ? `${first.split(' ')[0]} ${last}` : last
  const lastDay = more === undefined ? parseTypedDay(ofMonth, today) : null
  if (lastDay === null) return null
  const firstDay = parseTypedDay(
    /^\d{1,2}$/.test(first) ? `${first} ${last.replace(/^\S+ /, '')}` : first,
    lastDay,
  )
  return firstDay === null ? null : { firstDay, lastDay }
}

/** 0 for Sunday. */
function getWeekday(day: string): number {
  return new Date(day).getUTCDay()
}
