import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { UsageBuckets } from '../../shared/api/requests.ts'
import { NO_USAGE } from '../../shared/api/usage-buckets.ts'
import { getRates, type Rates } from '../../shared/money/rates.ts'
import { costOfCalls, isStated, MAX_REQUEST_NANO, reportedCost } from './cost.ts'

const sonnet = {
  inputPerMillion: 3,
  outputPerMillion: 15,
  cacheReadPerMillion: 0.3,
  cacheWritePerMillion: 3.75,
}

const computeCost = (usage: UsageBuckets, rates: Rates, discountPercent: number) =>
  costOfCalls([{ usage, rates }], discountPercent)

describe('cost', () => {
  it('prices each bucket at its own rate and no token twice', () => {
    const usage = { ...NO_USAGE, input: 1_000, cacheRead: 10_000, cacheWrite5m: 2_000, output: 500 }
    // 0.003 + 0.003 + 0.0075 + 0.0075 USD
    expect(computeCost(usage, getRates(sonnet), 0)).toBe(21_000_000)
  })

  it('derives the one-hour rate from the five-minute one where it is not given', () => {
    expect(getRates(sonnet)).toMatchObject({ cacheWrite5m: 3.75, cacheWrite1h: 6 })
    const usage = { ...NO_USAGE, cacheWrite5m: 1_000, cacheWrite1h: 1_000 }
    expect(computeCost(usage, getRates(sonnet), 0)).toBe(9_750_000)
    expect(getRates({ ...sonnet, cacheWriteHourPerMillion: 7 })).toMatchObject({ cacheWrite1h: 7 })
    const { cacheWritePerMillion: _, ...withoutCacheWrite } = sonnet
    expect(getRates(withoutCacheWrite)).toMatchObject({ cacheWrite5m: 3, cacheWrite1h: 3 })
  })

  it('prices cached audio at its own rate, and only once', () => {
    const rates = { ...getRates(sonnet), cacheReadAudio: 1 }
    const usage = { ...NO_USAGE, cacheRead: 10_000, cacheReadAudio: 4_000 }
    // 6,000 × 0.3 + 4,000 × 1
    expect(computeCost(usage, rates, 0)).toBe(5_800_000)
  })

  it('recognizes audio that is charged as text because it has no rate', () => {
    const stated = getRates({
      ...sonnet,
      audioInputPerMillion: 6,
      audioOutputPerMillion: 30,
      cacheReadAudioPerMillion: 1,
    })
    for (const bucket of ['audioInput', 'audioOutput', 'cacheReadAudio'] as const) {
      expect(isStated({ ...NO_USAGE, [bucket]: 1 }, getRates(sonnet))).toBe(false)
      const free = getRates({ inputPerMillion: 0, outputPerMillion: 0 })
      expect(isStated({ ...NO_USAGE, [bucket]: 1 }, free)).toBe(true)
      expect(isStated({ ...NO_USAGE, [bucket]: 1 }, stated)).toBe(true)
    }
    expect(isStated({ ...NO_USAGE, input: 1, output: 1 }, getRates(sonnet))).toBe(true)
  })

  it('prices what is not counted in tokens, in the unit of its price', () => {
    const rates = getRates({
      inputPerMillion: 1,
      outputPerMillion: 0,
      imageInputPerMillion: 8,
      imageOutputPerMillion: 32,
      cacheReadImagePerMillion: 2,
      cacheReadPerMillion: 0.5,
      perAudioMinute: 0.006,
      perMillionCharacters: 15,
      perImage: 0.04,
      perThousandSearches: 2,
      perThousandWebSearches: 10,
      perThousandFileSearches: 2.5,
      perThousandRequests: 5,
    })
    const cost = (usage: Partial<UsageBuckets>) =>
      computeCost({ ...NO_USAGE, ...usage }, rates, 0) - 5_000_000
    // A request costs 0.005 USD besides what it uses.
    expect(cost({})).toBe(0)
    expect(cost({ audioSeconds: 61 })).toBe(6_100_000)
    expect(cost({ characters: 1_234 })).toBe(18_510_000)
    expect(cost({ images: 3 })).toBe(120_000_000)
    expect(cost({ searches: 1 })).toBe(2_000_000)
    expect(cost({ webSearches: 2, fileSearches: 2 })).toBe(25_000_000)
    expect(cost({ imageInput: 1_000, imageOutput: 1_000 })).toBe(40_000_000)
    expect(cost({ cacheRead: 1_000, cacheReadImage: 400 })).toBe(1_100_000)
  })

  it('multiplies token prices only by the factor of the tier, and recognizes a tier without one', () => {
    const pricing = { ...sonnet, perThousandWebSearches: 10, tierFactors: { priority: 2, flex: 0.5 } }
    const usage = { ...NO_USAGE, input: 1_000, cacheWrite1h: 1_000, output: 100, webSearches: 1 }
    // 1,000 × 3 + 1,000 × 6 + 100 × 15 = 0.0105 USD
    expect(computeCost(usage, getRates(pricing), 0)).toBe(20_500_000)
    expect(computeCost(usage, getRates(pricing, 'priority'), 0)).toBe(31_000_000)
    expect(computeCost(usage, getRates(pricing, 'flex'), 0)).toBe(15_250_000)
    expect(isStated(usage, getRates(pricing, 'flex'))).toBe(true)
    expect(isStated(usage, getRates(pricing, 'batch'))).toBe(false)
    expect(isStated(usage, getRates(pricing, 'scale'))).toBe(false)
  })

  it('recognizes a unit without a price', () => {
    expect(isStated({ ...NO_USAGE, input: 1, webSearches: 0 }, getRates(sonnet))).toBe(true)
    for (const unit of ['audioSeconds', 'characters', 'images', 'searches', 'webSearches'] as const)
      expect(isStated({ ...NO_USAGE, [unit]: 1 }, getRates(sonnet))).toBe(false)
  })

  it('applies the discount before it rounds, once', () => {
    const usage = { ...NO_USAGE, input: 1 }
    const rates = getRates({ inputPerMillion: 0.0375, outputPerMillion: 0 })
    expect(computeCost(usage, rates, 0)).toBe(38)
    expect(computeCost(usage, rates, 20)).toBe(30)
  })

  it('stays exact for billions of tokens', () => {
    const rates = getRates({ inputPerMillion: 0, outputPerMillion: 15 })
    expect(computeCost({ ...NO_USAGE, output: 6e9 + 1 }, rates, 0)).toBe(9e13 + 15_000)
  })

  it('is exact for small and large numbers, as computed with integers of any size', () => {
    const nano = (perMillion: number) => BigInt(Math.round(perMillion * 1e9))
    const count = fc.oneof(fc.nat({ max: 100_000 }), fc.nat({ max: 100_000_000 }), fc.nat({ max: 2 ** 40 }))
    const price = fc.oneof(
      fc.constant(0),
      fc.double({ min: 0, max: 20, noNaN: true }),
      fc.nat({ max: 10_000 }),
    )
    const call = fc.record({ input: count, output: count, cached: count, audioShare: fc.nat({ max: 100 }) })
    const rated = fc.record({
      input: price,
      output: price,
      cached: price,
      cachedAudio: price,
      requests: price,
    })
    const property = fc.property(
      fc.array(fc.tuple(call, rated), { maxLength: 3 }),
      fc.nat({ max: 100 }),
      check,
    )
    fc.assert(property, { numRuns: 3_000 })

    function check(
      calls: [Record<'input' | 'output' | 'cached' | 'audioShare', number>, Record<string, number>][],
      discount: number,
    ) {
      let sum = 0n
      const priced = calls.map(([{ input, output, cached, audioShare }, given]) => {
        const cacheReadAudio = Math.floor((cached * audioShare) / 100)
        const usage = { ...NO_USAGE, input, output, cacheRead: cached, cacheReadAudio }
        const rates = {
          ...getRates({ inputPerMillion: given.input ?? 0, outputPerMillion: given.output ?? 0 }),
          cacheRead: given.cached ?? 0,
          cacheReadAudio: given.cachedAudio ?? 0,
          requests: given.requests ?? 0,
        }
        sum += BigInt(input) * nano(rates.input) + BigInt(output) * nano(rates.output) + nano(rates.requests)
        sum += BigInt(cached - cacheReadAudio) * nano(rates.cacheRead)
        sum += BigInt(cacheReadAudio) * nano(rates.cacheReadAudio)
        return { usage, rates }
      })
      const most = BigInt(MAX_REQUEST_NANO) * 1_000_000n
      const charged = (sum < most ? sum : most) * BigInt(100 - discount)
      expect(costOfCalls(priced, discount)).toBe(Number((charged + 50_000_000n) / 100_000_000n))
    }
  })

  it('uses a reported cost unchanged, less the discount', () => {
    expect(reportedCost(0.0123456, 0)).toBe(12_345_600)
    expect(reportedCost(0.01, 20)).toBe(8_000_000)
  })
})
