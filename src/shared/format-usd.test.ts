import { expect, it } from 'vitest'
import { formatUsd } from './format-usd.ts'

it.each([
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
])('writes %d with as many decimals as it needs', (usd, text) => expect(formatUsd(usd)).toBe(text))

it('never writes what is not zero as zero', () => expect(formatUsd(0.000000001)).not.toBe('$0.00'))
