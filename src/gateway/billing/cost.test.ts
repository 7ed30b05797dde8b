import { describe, expect, it } from 'vitest'
import type { UsageBuckets } from '../../shared/requests.ts'
import { NO_USAGE } from '../formats/token-usage.ts'
import { costOfCalls, isStated, type Rates, ratesOf, reportedCost } from './cost.ts'

const sonnet = {
  inputPerMillion: 3,
  outputPerMillion: 15,
  cacheReadPerMillion: 0.3,
  cacheWritePerMillion: 3.75,
}

const costOf = (usage: UsageBuckets, rates: Rates, discountPercent: number) =>
  costOfCalls([{ usage, rates }], discountPercent)

describe('cost', () => {
  it('prices each bucket at its own rate and no token twice', () => {
    const usage = { ...NO_USAGE, input: 1_000, cacheRead: 10_000, cacheWrite5m: 2_000, output: 500 }
    // 0.003 + 0.003 + 0.0075 + 0.0075 USD
    expect(costOf(usage, ratesOf(sonnet), 0)).toBe(21_000_000)
  })

  it('derives the one-hour rate from the five-minute one, the only one that a user can set', () => {
    expect(ratesOf(sonnet)).toMatchObject({ cacheWrite5m: 3.75, cacheWrite1h: 6 })
    const usage = { ...NO_USAGE, cacheWrite5m: 1_000, cacheWrite1h: 1_000 }
    expect(costOf(usage, ratesOf(sonnet), 0)).toBe(9_750_000)
    const { cacheWritePerMillion: _, ...withoutCacheWrite } = sonnet
    expect(ratesOf(withoutCacheWrite)).toMatchObject({ cacheWrite5m: 3, cacheWrite1h: 3 })
  })

  it('prices cached audio at its own rate, and only once', () => {
    const rates = { ...ratesOf(sonnet), cacheReadAudio: 1 }
    const usage = { ...NO_USAGE, cacheRead: 10_000, cacheReadAudio: 4_000 }
    // 6,000 × 0.3 + 4,000 × 1
    expect(costOf(usage, rates, 0)).toBe(5_800_000)
  })

  it('recognizes audio that is charged as text because it has no rate', () => {
    const { audioAsText: _, ...stated } = ratesOf(sonnet)
    for (const bucket of ['audioInput', 'audioOutput', 'cacheReadAudio'] as const) {
      expect(isStated({ ...NO_USAGE, [bucket]: 1 }, ratesOf(sonnet))).toBe(false)
      const free = ratesOf({ inputPerMillion: 0, outputPerMillion: 0 })
      expect(isStated({ ...NO_USAGE, [bucket]: 1 }, free)).toBe(true)
      expect(isStated({ ...NO_USAGE, [bucket]: 1 }, stated)).toBe(true)
    }
    expect(isStated({ ...NO_USAGE, input: 1, output: 1 }, ratesOf(sonnet))).toBe(true)
  })

  it('applies the discount before it rounds, once', () => {
    const usage = { ...NO_USAGE, input: 1 }
    const rates = ratesOf({ inputPerMillion: 0.0375, outputPerMillion: 0 })
    expect(costOf(usage, rates, 0)).toBe(38)
    expect(costOf(usage, rates, 20)).toBe(30)
  })

  it('stays exact for billions of tokens', () => {
    const rates = ratesOf({ inputPerMillion: 0, outputPerMillion: 15 })
    expect(costOf({ ...NO_USAGE, output: 6e9 + 1 }, rates, 0)).toBe(9e13 + 15_000)
  })

  it('uses a reported cost unchanged, less the discount', () => {
    expect(reportedCost(0.0123456, 0)).toBe(12_345_600)
    expect(reportedCost(0.01, 20)).toBe(8_000_000)
  })
})
