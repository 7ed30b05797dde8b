import { expect, it } from 'vitest'
import { parseCount, parseUsd } from './number-input.ts'

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

it('parses positive whole numbers', () => {
  expect(parseCount('1,000')).toEqual({ ok: true, count: 1000 })
  expect(parseCount('')).toEqual({ ok: true, count: null })
  for (const text of ['0', '1.5', '-2', 'x']) expect(parseCount(text).ok).toBe(false)
})
