import { describe, expect, test } from 'vitest'
import { addUsd, formatUsdHeader, nanoToUsd, nanoUsd, usdToNano } from './money.ts'

describe('money', () => {
  test('a header has six decimals, rounded half up', () => {
    expect(formatUsdHeader(nanoUsd(0))).toBe('0.000000')
    expect(formatUsdHeader(nanoUsd(1_234_499))).toBe('0.001234')
    expect(formatUsdHeader(nanoUsd(1_234_500))).toBe('0.001235')
    expect(formatUsdHeader(nanoUsd(12_000_000_000))).toBe('12.000000')
  })

  test('a tenth and two tenths add up to exactly three tenths', () => {
    expect(nanoToUsd(addUsd(usdToNano(0.1), usdToNano(0.2)))).toBe(0.3)
  })

  test('fractions of a nano-dollar throw', () => {
    expect(() => nanoUsd(0.5)).toThrow(RangeError)
  })

  test('sums end at the range of exact integers', () => {
    const most = nanoUsd(Number.MAX_SAFE_INTEGER)
    expect(addUsd(most, nanoUsd(1))).toBe(most)
    expect(addUsd(nanoUsd(-most), nanoUsd(-1))).toBe(-most)
  })
})
