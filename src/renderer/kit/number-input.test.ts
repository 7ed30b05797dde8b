import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
import { followLocale } from '../../shared/values/locale.ts'
import { formatInput, parseCount, parsePercents, parseUsd } from './number-input.ts'

it.each([
  ['5', 5],
  ['$5.00', 5],
  [' 0.25 ', 0.25],
  ['.5', 0.5],
  ['1,000.50', 1000.5],
  ['', null],
])('parses %j as an amount', (text, usd) => expect(parseUsd(text)).toEqual({ ok: true, usd }))

it.each(['five', '-1', '1e3', '1,00', '5 EUR', 'NaN', '99999999'])('rejects %j as an amount', (text) =>
  expect(parseUsd(text).ok).toBe(false),
)

describe('with a decimal comma', () => {
  beforeEach(() => followLocale('de-DE'))
  afterEach(() => followLocale(null))

  it.each([
    ['0,25', 0.25],
    ['0.25', 0.25],
    ['1000,5', 1000.5],
    ['1,125', 1.125],
    ['.5', 0.5],
  ])('parses %j as an amount', (text, usd) => expect(parseUsd(text)).toEqual({ ok: true, usd }))

  it('does not guess whether a point separates thousands', () => {
    const message = 'Enter it without a separator of thousands: 1500 or 1,500.'
    expect(parseUsd('1.500')).toEqual({ ok: false, message })
    expect(parseUsd('1.500,00').ok).toBe(false)
    expect(parseUsd('1,500.00').ok).toBe(false)
  })

  it.each([null, 0, 5, 0.125, 1.125, 1500, 0.000000001])('reads %d from what a field shows', (usd) =>
    expect(parseUsd(formatInput(usd))).toEqual({ ok: true, usd }),
  )
})

it('parses positive whole numbers', () => {
  expect(parseCount('1,000')).toEqual({ ok: true, count: 1000 })
  expect(parseCount('')).toEqual({ ok: true, count: null })
  for (const text of ['0', '1.5', '-2', 'x']) expect(parseCount(text).ok).toBe(false)
})

test('percentages are typed with any separator, each once', () => {
  expect(parsePercents('65 %, 90 %')).toEqual({ value: [65, 90] })
  expect(parsePercents('80 80')).toEqual({ value: [80] })
  expect(parsePercents('')).toEqual({ value: [] })
})

test.each(['0', '101', '1.5', 'half', '10 20 30 40 50 60'])('%s is rejected with a reason', (text) =>
  expect(parsePercents(text)).toEqual(expect.any(String)),
)
