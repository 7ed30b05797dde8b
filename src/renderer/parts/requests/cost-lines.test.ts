import { expect, it } from 'vitest'
import type { AppliedPrice } from '../../../shared/api/requests.ts'
import { NO_USAGE } from '../../../shared/api/usage-buckets.ts'
import { createConfirmedLines, createCostLines } from './cost-table.tsx'

const price: AppliedPrice = {
  pricing: { inputPerMillion: 2, outputPerMillion: 10, cacheReadPerMillion: 0.2 },
  origin: { source: 'database', match: 'exact', asOf: null },
  plan: 'pay-as-you-go',
  discountPercent: 0,
  reportedByProvider: false,
}

it('has a line for each bucket with tokens, and they add up to the charge', () => {
  const { lines, discount, otherUsd } = createCostLines(
    { ...NO_USAGE, input: 1000, cacheRead: 500, output: 100 },
    price,
    0.0031,
  )
  expect(lines.map(({ label, usd }) => [label, usd])).toEqual([
    ['Input', 0.002],
    ['Cache read', 0.0001],
    ['Output', 0.001],
  ])
  expect(discount).toBeNull()
  expect(otherUsd).toBeNull()
})

it('charges a bucket without its own rate as input', () => {
  expect(createCostLines({ ...NO_USAGE, cacheWrite1h: 1000 }, price, 0.002)).toMatchObject({ otherUsd: null })
})

it('charges a one-hour cache write at 1.6 times the five-minute rate', () => {
  const priced = { ...price, pricing: { ...price.pricing, cacheWritePerMillion: 2.5 } }
  const { lines, otherUsd } = createCostLines(
    { ...NO_USAGE, cacheWrite5m: 1000, cacheWrite1h: 1000 },
    priced,
    0.0065,
  )
  expect(lines.map(({ rateUsd }) => rateUsd)).toEqual([2.5, 4])
  expect(otherUsd).toBeNull()
})

it('has lines for what is not billed by tokens, in the words of its price', () => {
  const pricing = { ...price.pricing, perAudioMinute: 0.006, perImage: 0.02, perThousandWebSearches: 10 }
  const usage = { ...NO_USAGE, audioSeconds: 90, images: 2, webSearches: 3 }
  const { lines, otherUsd } = createCostLines(usage, { ...price, pricing }, 0.079)
  expect(lines.map(({ label, count, rateUsd, unit }) => [label, count, rateUsd, unit.perName])).toEqual([
    ['Audio', 90, 0.006, 'minute'],
    ['Images', 2, 0.02, 'image'],
    ['Web searches', 3, 10, 'thousand'],
  ])
  expect(otherUsd).toBeNull()
})

it('has the rates of the tier in which the request was served', () => {
  const tiered = { ...price, pricing: { ...price.pricing, tierFactors: { priority: 2 } }, tier: 'priority' }
  const { lines, otherUsd } = createCostLines({ ...NO_USAGE, input: 1000 }, tiered, 0.004)
  expect(lines).toMatchObject([{ rateUsd: 4, usd: 0.004 }])
  expect(otherUsd).toBeNull()
})

it('shows the negotiated discount', () => {
  const { discount, otherUsd } = createCostLines(
    { ...NO_USAGE, input: 1000 },
    { ...price, plan: 'bundle', discountPercent: 20 },
    0.0016,
  )
  expect(discount).toMatchObject({ percent: 20 })
  expect(discount?.usd).toBeCloseTo(0.0004, 12)
  expect(otherUsd).toBeNull()
})

it('shows the difference that the rates do not explain', () => {
  expect(createCostLines({ ...NO_USAGE, input: 1000 }, price, 0.003).otherUsd).toBeCloseTo(0.001, 12)
})

it('shows the cost that the provider reported, before the discount', () => {
  const bundle = { ...price, plan: 'bundle', discountPercent: 20, reportedByProvider: true }
  const { lines, reportedUsd, discount, otherUsd } = createCostLines(
    { ...NO_USAGE, input: 1000 },
    bundle,
    0.008,
  )
  expect(lines[0]).toMatchObject({ count: 1000, usd: null })
  expect(reportedUsd).toBeCloseTo(0.01, 12)
  expect(discount?.usd).toBeCloseTo(0.002, 12)
  expect(otherUsd).toBeNull()
})

it('shows the tokens of a confirmed charge without prices', () => {
  expect(createConfirmedLines({ ...NO_USAGE, input: 1000 }, 0.5)).toMatchObject({
    lines: [{ label: 'Input', count: 1000, unit: { name: 'tokens' }, rateUsd: null, usd: null }],
    reportedUsd: null,
    discount: null,
    otherUsd: null,
    totalUsd: 0.5,
  })
  expect(createConfirmedLines(null, 0).lines).toEqual([])
})
