import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chooseUsdDecimals, exactUsdDecimals, formatOver, formatUsd } from './format-usd.ts'

describe('an amount alone', () => {
  test.each([
    [0, '$0.00'],
    [0.000123, '$0.000123'],
    [0.0000000014, '$0.000000001'],
    [0.05, '$0.05'],
    [0.0123, '$0.0123'],
    [0.1, '$0.10'],
    [0.218, '$0.22'],
    [0.9949, '$0.99'],
    [0.9999, '$1.00'],
    [12.34, '$12.34'],
    [1234.5, '$1,234.50'],
    [-0.02, '−$0.02'],
  ])('%d is shown as %s', (usd, text) => expect(formatUsd(usd)).toBe(text))
})

describe('amounts that are shown together', () => {
  test.each([
    [
      [5.17, 0.509, 0.0014, 0],
      ['$5.17', '$0.51', '< $0.01', '$0.00'],
    ],
    [
      [0.0014, 0.000144, 0.00015],
      ['$0.00140', '$0.00014', '$0.00015'],
    ],
    [
      [0.05, 0.02],
      ['$0.05', '$0.02'],
    ],
    [
      [0.218, 4.4],
      ['$0.22', '$4.40'],
    ],
    [[0], ['$0.00']],
    [[], []],
  ])('%j have the same number of decimals', (amounts, texts) => {
    const decimals = chooseUsdDecimals(amounts)
    expect(amounts.map((usd) => formatUsd(usd, decimals))).toEqual(texts)
  })

  test('can be written exactly', () => {
    expect(exactUsdDecimals([0.0006975, 0.00893])).toBe(7)
    expect(exactUsdDecimals([12, 0.5])).toBe(2)
    expect(exactUsdDecimals([12.000000001])).toBe(9)
  })
})

test('an amount that is not zero is never shown as zero', () => {
  expect(formatUsd(0.000000001)).not.toBe('$0.00')
  expect(formatUsd(0.0000004, 6)).toBe('< $0.000001')
  expect(formatUsd(0.0000005, 6)).toBe('$0.000001')
  expect(formatUsd(0.005, 2)).toBe('$0.01')
  expect(formatUsd(-0.001, 2)).toBe('> −$0.01')
})

test('writes every amount as the number format of the language does', () => {
  const decimals = fc.integer({ min: 0, max: 9 })
  const amount = fc.oneof(
    fc.double({ min: 1e-9, max: 1e6, noNaN: true }),
    fc.nat(2e9).map((n) => n / 1e6),
  )
  fc.assert(
    fc.property(amount, decimals, (usd, decimals) => {
      fc.pre(usd >= 10 ** -decimals)
      const format = new Intl.NumberFormat('en-US', {
        minimumFractionDigits: decimals,
        maximumFractionDigits: decimals,
      })
      expect(formatUsd(usd, decimals)).toBe(`$${format.format(usd)}`)
    }),
    { numRuns: 2_000 },
  )
})

test('what was spent beyond a limit has as many decimals as it needs', () => {
  expect(formatOver(1.02, 1)).toBe('$0.02 over')
  expect(formatOver(1.0003, 1)).toBe('$0.0003 over')
  expect(formatOver(1, 1)).toBeNull()
  expect(formatOver(0.5, 1)).toBeNull()
})
