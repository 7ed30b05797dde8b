import { describe, expect, it } from 'vitest'
import { costOf, NO_USAGE, ratesOf, reportedCost } from './cost.ts'

const sonnet = {
  inputPerMillion: 3,
  outputPerMillion: 15,
  cacheReadPerMillion: 0.3,
  cacheWritePerMillion: 3.75,
}

describe('cost', () => {
  it('prices each bucket at its own rate and no token twice', () => {
    const usage = { ...NO_USAGE, input: 1_000, cacheRead: 10_000, cacheWrite5m: 2_000, output: 500 }
    // 0.003 + 0.003 + 0.0075 + 0.0075 USD
    expect(costOf(usage, ratesOf(sonnet), 0)).toBe(21_000_000)
  })

  it('takes the discount before it rounds, once', () => {
    const usage = { ...NO_USAGE, input: 1 }
    const rates = ratesOf({ inputPerMillion: 0.0375, outputPerMillion: 0 })
    expect(costOf(usage, rates, 0)).toBe(38)
    expect(costOf(usage, rates, 20)).toBe(30)
  })

  it('stays exact for a trillion tokens', () => {
    expect(
      costOf({ ...NO_USAGE, output: 1e11 }, ratesOf({ inputPerMillion: 0, outputPerMillion: 15 }), 0),
    ).toBe(1.5e15)
  })

  it('takes a reported cost as it is, less the discount', () => {
    expect(reportedCost(0.0123456, 0)).toBe(12_345_600)
    expect(reportedCost(0.01, 20)).toBe(8_000_000)
  })
})
