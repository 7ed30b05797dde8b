import { expect, test } from 'vitest'
import { formatUsd } from './format-usd.ts'

test.each([
  [0, '$0.00'],
  [0.000123, '$0.000123'],
  [0.0000000014, '$0.000000001'],
  [0.1, '$0.10'],
  [0.0123, '$0.0123'],
  [0.9949, '$0.995'],
  [0.9999, '$1.00'],
  [12.34, '$12.34'],
  [1234.5, '$1,234.50'],
  [-0.02, '−$0.02'],
])('%d is shown as %s', (usd, text) => expect(formatUsd(usd)).toBe(text))

test('an amount that is not zero is never shown as zero', () =>
  expect(formatUsd(0.000000001)).not.toBe('$0.00'))
