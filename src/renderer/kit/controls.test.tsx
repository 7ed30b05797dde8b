import { screen, within } from '@testing-library/react'
import { useState } from 'react'
import { expect, test, vi } from 'vitest'
import { renderView } from '../testing/render.tsx'
import { modelRow } from '../testing/rows.ts'
import { Percentile } from './change.tsx'
import { SegmentedControl } from './controls.tsx'
import { Gauge } from './gauge.tsx'
import { Menu } from './menu.tsx'
import { ModelPicker } from './model-picker.tsx'
import { ColumnMoney } from './money.tsx'
import { Select } from './select.tsx'

const options = [
  { value: 'day', label: 'Day' },
  { value: 'week', label: 'Week' },
  { value: 'month', label: 'Month', hint: 'A calendar month.' },
] as const
type Span = (typeof options)[number]['value']

test('a select is operated by keyboard', async () => {
  const onChange = vi.fn()
  const { user } = renderView(<Select label="Period" options={options} value="day" onChange={onChange} />)
  const select = screen.getByRole('combobox', { name: 'Period' })
  expect(select.textContent).toBe('Day')
  select.focus()
  await user.keyboard('{Enter}')
  const month = await screen.findByRole('option', { name: 'Month' })
  expect(within(month).getByText('A calendar month.')).toBeDefined()
  await user.keyboard('{End}{Enter}')
  expect(onChange.mock.calls).toEqual([['month']])
  expect(document.activeElement).toBe(select)
})

test('a select without a matching value shows its label', () => {
  renderView(<Select<string> label="Choose a key" options={[]} value="" onChange={() => {}} disabled />)
  const select = screen.getByRole('combobox', { name: 'Choose a key' })
  expect(select.textContent).toBe('Choose a key')
  expect(select).toHaveProperty('disabled', true)
})

test('a segmented control is a radio group that the arrow keys change', async () => {
  function Period() {
    const [span, setSpan] = useState<Span>('day')
    return <SegmentedControl label="Period" options={options} value={span} onChange={setSpan} />
  }
  const { user } = renderView(<Period />)
  const checked = () => screen.getByRole('radio', { checked: true }).textContent
  await user.tab()
  await user.keyboard('{ArrowRight>}{/ArrowRight}')
  expect(screen.getByRole('radiogroup', { name: 'Period' })).toBeDefined()
  expect(checked()).toBe('Week')
  await user.click(screen.getByRole('radio', { name: 'Month' }))
  expect(checked()).toBe('Month')
})

test('a menu opens with the keyboard, skips disabled items, and returns the focus', async () => {
  const onSelect = vi.fn()
  const { user } = renderView(
    <Menu
      label="More"
      items={[
        { label: 'Edit', disabled: true, onSelect },
        'separator',
        { label: 'Remove', danger: true, onSelect: () => onSelect('removed') },
      ]}
    />,
  )
  const button = screen.getByRole('button', { name: 'More' })
  button.focus()
  await user.keyboard('{Enter}')
  await screen.findByRole('menu')
  await user.keyboard('{ArrowDown}{Enter}')
  expect(onSelect.mock.calls).toEqual([['removed']])
  expect(document.activeElement).toBe(button)
})

test('the model picker finds a model by name and provider, and shows its price', async () => {
  const onChange = vi.fn()
  const models = [
    modelRow('gpt-5.5', { pricing: { inputPerMillion: 1.25, outputPerMillion: 10 } }),
    modelRow('llama-4', { provider: 'groq', pricing: null }),
  ]
  const { user } = renderView(<ModelPicker models={models} value="gpt-5.5" onChange={onChange} />)
  await user.click(screen.getByRole('combobox', { name: 'Model' }))
  expect(screen.getAllByRole('option').map(({ textContent }) => textContent)).toEqual([
    'gpt-5.5$1.25 / $10.00',
    'llama-4no price',
  ])
  await user.keyboard('groq')
  expect(screen.getAllByRole('option')).toHaveLength(1)
  await user.keyboard('{Enter}')
  expect(onChange.mock.calls).toEqual([['llama-4']])
  expect(screen.queryByRole('listbox')).toBeNull()
})

test('the model picker says when no model matches', async () => {
  const { user } = renderView(<ModelPicker models={[modelRow('gpt-5.5')]} value="" onChange={() => {}} />)
  await user.click(screen.getByRole('combobox', { name: 'Model' }))
  await user.keyboard('claude')
  expect(screen.getByRole('option', { name: 'No matching model.' }).getAttribute('aria-disabled')).toBe(
    'true',
  )
})

test.each([
  [1, '$4.00 left of $5.00'],
  [5, 'Cap of $5.00 reached'],
  [5.02, '$5.02 of $5.00, $0.02 over'],
  [5.0003, '$5.00 of $5.00, $0.0003 over'],
])('a gauge at %s dollars says “%s”', (spentUsd, text) => {
  renderView(<Gauge label="Spend of Editor" spentUsd={spentUsd} reservedUsd={0} limitUsd={5} />)
  const meter = screen.getByRole('meter', { name: 'Spend of Editor' })
  expect(meter.getAttribute('aria-valuetext')).toBe(text)
  expect(meter.getAttribute('aria-valuenow')).toBe(String(Math.min(5, spentUsd)))
  expect(screen.getByText(text)).toBeDefined()
})

test('a gauge shows what went over as a part of its bar', () => {
  const parts = (spentUsd: number) => {
    const { container, unmount } = renderView(
      <Gauge label="Spend" spentUsd={spentUsd} reservedUsd={0} limitUsd={3} after="per day" />,
    )
    const over = container.querySelector<HTMLElement>('[data-part="over"]')
    const text = screen.getByRole('meter').getAttribute('aria-valuetext')
    unmount()
    return [over?.style.width, text]
  }
  expect(parts(3)).toEqual([undefined, 'Limit of $3.00 per day reached'])
  expect(parts(4)).toEqual(['25%', '$4.00 of $3.00 per day, $1.00 over'])
})

test('a percentile of fewer than 20 requests says of how many it is', () => {
  const title = (requests: number) => {
    const { unmount } = renderView(<Percentile ms={3_100} requests={requests} />)
    const text = screen.getByText('3.10 s').title
    unmount()
    return text
  }
  expect([1, 19, 20].map(title)).toEqual(['Of 1 request only', 'Of 19 requests only', ''])
})

test('without a cap there is no gauge, only the amount', () => {
  renderView(<Gauge label="Spend of Editor" spentUsd={1} reservedUsd={0} limitUsd={null} />)
  expect(screen.queryByRole('meter')).toBeNull()
  expect(screen.getByText('spent, no cap')).toBeDefined()
})

test.each([
  [0.0014, '$0.001400', '00'],
  [0.99, '$0.990000', '0000'],
  [0.000123, '$0.000123', null],
  [0.0000001, '< $0.000001', null],
])('the cost %s of a request below a dollar has six decimals, with dimmed zeros', (usd, text, dimmed) => {
  const { container } = renderView(<ColumnMoney usd={usd} />)
  const amount = container.querySelector('[data-usd]')
  expect(amount?.textContent).toBe(text)
  expect(amount?.querySelector('span')?.textContent ?? null).toBe(dimmed)
})

test.each([
  [1, '$1.00'],
  [12_346, '$12,346.00'],
  [-2.345, '−$2.35'],
])('the cost %s of a request has cents, with its point below those of smaller ones', (usd, text) => {
  const { container } = renderView(<ColumnMoney usd={usd} />)
  const amount = container.querySelector<HTMLElement>('[data-usd]')
  expect(amount?.textContent).toBe(text)
  expect(amount?.style.paddingRight).toBe('4ch')
})
