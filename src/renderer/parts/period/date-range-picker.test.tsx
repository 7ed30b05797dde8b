import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { LAST_30_DAYS, useDateRange } from '../../data/date-range.ts'
import { renderView } from '../../testing/render.tsx'
import { DateRangePicker } from './date-range-picker.tsx'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-22T12:30:00Z') })
  return () => vi.useRealTimers()
})

function Picker() {
  const [range, setRange] = useDateRange(LAST_30_DAYS)
  return <DateRangePicker range={range} onChange={setRange} />
}

const trigger = () => screen.getByRole('button', { name: /^Date range:/ })

test('a named range is chosen with one more press, and kept in the address with what else is there', async () => {
  const { user, history } = renderView(<Picker />, { path: '/usage?by=key' })
  expect(trigger().textContent).toBe('Last 30 days')
  await user.click(trigger())
  await user.click(await screen.findByRole('button', { name: 'Last 7 days' }))
  expect(history.at(-1)).toBe('/usage?by=key&range=7d')
  expect(trigger().textContent).toBe('Last 7 days')
  expect(screen.queryByRole('button', { name: 'Apply' })).toBeNull()
})

test('two days of the calendar are a range, in either order', async () => {
  const { user, history } = renderView(<Picker />)
  await user.click(trigger())
  const day = (date: RegExp) => within(screen.getByRole('grid')).getByRole('button', { name: date })
  await screen.findByRole('grid')
  await user.click(day(/November 7th/))
  await user.click(day(/November 1st/))
  await user.click(screen.getByRole('button', { name: 'Apply' }))
  expect(history.at(-1)).toBe('/?from=2026-11-01&to=2026-11-07')
  expect(trigger().textContent).toBe('1–7 Nov')
})

test('days are typed, and one that is none is reported at its field', async () => {
  const { user, history } = renderView(<Picker />)
  await user.click(trigger())
  const from = await screen.findByLabelText('From')
  const to = screen.getByLabelText('To')
  expect([from, to].map((field) => field.getAttribute('value'))).toEqual(['24 Oct 2026', '22 Nov 2026'])
  await user.clear(from)
  await user.type(from, 'soon{Enter}')
  expect(screen.getByText('Type a date like 7 Nov 2026.')).toBeDefined()
  await user.clear(from)
  await user.type(from, '20 Nov')
  await user.clear(to)
  await user.type(to, '2026-11-10{Enter}')
  expect(screen.getByText('This is before the first day.')).toBeDefined()
  await user.clear(to)
  await user.type(to, '2026-09-05')
  // The calendar shows the month of what is typed.
  expect(screen.getByRole('grid', { name: 'September 2026' })).toBeDefined()
  await user.clear(to)
  await user.type(to, '2026-11-21{Enter}')
  expect(history.at(-1)).toBe('/?from=2026-11-20&to=2026-11-21')
})

test('a range is typed, and one that is none is reported', async () => {
  const { user, history } = renderView(<Picker />)
  await user.click(trigger())
  const field = await screen.findByLabelText('Type a range')
  await user.type(field, 'soon{Enter}')
  expect(screen.getByText('Type a range like 3 h, 2 weeks, since Monday, or 1–7 Nov.')).toBeDefined()
  await user.clear(field)
  await user.type(field, 'since Monday{Enter}')
  expect(history.at(-1)).toBe('/?from=2026-11-16&to=2026-11-22')
})

test('the arrows step to the range before and back, and not into the future', async () => {
  const { user, history } = renderView(<Picker />, { path: '/?range=7d' })
  const next = screen.getByRole('button', { name: 'Next range' })
  await waitFor(() => expect(next.hasAttribute('disabled')).toBe(true))
  await user.click(screen.getByRole('button', { name: 'Previous range' }))
  expect(trigger().textContent).toBe('9–15 Nov')
  await user.click(next)
  expect(history.at(-1)).toBe('/?range=7d')
})

test('the arrow keys move between the named ranges', async () => {
  const { user } = renderView(<Picker />)
  await user.click(trigger())
  ;(await screen.findByRole('button', { name: 'Last 24 hours' })).focus()
  await user.keyboard('{ArrowDown}')
  expect(document.activeElement?.textContent).toBe('Last 7 days')
  await user.keyboard('{ArrowUp}{ArrowUp}')
  expect(document.activeElement?.textContent).toBe('Yesterday')
})

test('all time is offered where a view has no limit', async () => {
  const onClear = vi.fn()
  const { user } = renderView(<DateRangePicker range={LAST_30_DAYS} onChange={() => {}} onClear={onClear} />)
  await user.click(trigger())
  await user.click(await screen.findByRole('button', { name: 'All time' }))
  expect(onClear).toHaveBeenCalledOnce()
})
