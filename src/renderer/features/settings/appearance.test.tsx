import { screen } from '@testing-library/react'
import { expect, onTestFinished, test } from 'vitest'
import { formatSecond, InSecondCurrency, Money, useSecondCurrency } from '../../kit/money.tsx'
import { renderView } from '../../testing/render.tsx'
import { renderSettings } from './testing/render-settings.tsx'

test('rows can be compact, which is kept', async () => {
  const { user } = await renderSettings('density')
  const height = () => document.documentElement.style.getPropertyValue('--row')
  await user.click(screen.getByRole('combobox', { name: 'Height of rows' }))
  await user.click(await screen.findByRole('option', { name: 'Compact' }))
  expect(height()).toBe('30px')
  expect(localStorage.getItem('tollgate.density')).toBe('compact')
  await user.click(screen.getByRole('combobox', { name: 'Height of rows' }))
  await user.click(await screen.findByRole('option', { name: 'Comfortable' }))
  expect(height()).toBe('36px')
})

test('amounts are shown in a second currency at the rate that was typed in, until none is chosen', async () => {
  onTestFinished(() => useSecondCurrency.getState().choose(null))
  const { user } = await renderSettings('currency')
  const choose = async (name: string) => {
    await user.click(screen.getByRole('combobox', { name: 'Second currency' }))
    await user.click(await screen.findByRole('option', { name }))
  }
  await choose('EUR')
  const field = screen.getByRole('textbox', { name: 'EUR for 1 USD' })
  await user.type(field, '0{Enter}')
  expect(screen.getByRole('alert').textContent).toBe('Enter a rate such as 0.92.')
  expect(useSecondCurrency.getState().second).toBeNull()
  await user.clear(field)
  await user.type(field, '0.9{Enter}')
  expect(await screen.findByText(/Shown next to USD at the rate of/)).toBeDefined()
  expect(useSecondCurrency.getState().second).toMatchObject({ code: 'EUR', rate: 0.9 })
  expect(localStorage.getItem('tollgate.currency')).toMatch(/^EUR 0\.9 \d{4}-\d\d-\d\d$/)

  renderView(<InSecondCurrency usd={20} />)
  expect(screen.getByText('≈ €18.00').title).toContain('1 USD = 0.9 EUR')
  renderView(<Money usd={10} />)
  expect(screen.getByText('$10.00').title).toBe('$10.00, ≈ €9.00')
  await choose('None')
  expect(screen.queryByText('≈ €18.00')).toBeNull()
})

test.each([
  ['JPY', 150, 2, '≈ ¥300'],
  ['EUR', 0.9, 0.000_123_4, '≈ €0.00011'],
  ['CHF', 0.8, 1_500, '≈ CHF\u{a0}1,200.00'],
])('%s has its own decimals', (code, rate, usd, text) => {
  expect(formatSecond(usd, { code, rate, asOf: '2026-11-27' })).toBe(text)
})
