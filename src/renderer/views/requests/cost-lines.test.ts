import { expect, it } from 'vitest'
import type { AppliedPrice, UsageBuckets } from '../../../shared/requests.ts'
import { confirmedReceipt, receipt } from './cost-lines.ts'

const none: UsageBuckets = {
  input: 0,
  cacheRead: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  audioInput: 0,
  output: 0,
  audioOutput: 0,
  reasoning: 0,
  cacheReadAudio: 0,
}
const price: AppliedPrice = {
  pricing: { inputPerMillion: 2, outputPerMillion: 10, cacheReadPerMillion: 0.2 },
  origin: { source: 'database', match: 'exact', asOf: null },
  plan: 'pay-as-you-go',
  discountPercent: 0,
  reportedByProvider: false,
}

it('has a line for each bucket with tokens, and they add up to the charge', () => {
  const { lines, discount, otherUsd } = receipt(
    { ...none, input: 1000, cacheRead: 500, output: 100 },
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

it('charges a bucket without a rate of its own as plain input', () => {
  expect(receipt({ ...none, cacheWrite1h: 1000 }, price, 0.002)).toMatchObject({ otherUsd: null })
})

it('charges a cache write for an hour at 1.6 times one for five minutes', () => {
  const priced = { ...price, pricing: { ...price.pricing, cacheWritePerMillion: 2.5 } }
  const { lines, otherUsd } = receipt({ ...none, cacheWrite5m: 1000, cacheWrite1h: 1000 }, priced, 0.0065)
  expect(lines.map(({ perMillionUsd }) => perMillionUsd)).toEqual([2.5, 4])
  expect(otherUsd).toBeNull()
})

it('shows the discount of the plan', () => {
  const { discount, otherUsd } = receipt(
    { ...none, input: 1000 },
    { ...price, plan: 'bundle', discountPercent: 20 },
    0.0016,
  )
  expect(discount).toMatchObject({ percent: 20, plan: 'bundle' })
  expect(discount?.usd).toBeCloseTo(0.0004, 12)
  expect(otherUsd).toBeNull()
})

it('shows what the rates do not explain', () => {
  expect(receipt({ ...none, input: 1000 }, price, 0.003).otherUsd).toBeCloseTo(0.001, 12)
})

it('names the cost that the provider reported, before the discount', () => {
  const bundle = { ...price, plan: 'bundle', discountPercent: 20, reportedByProvider: true }
  const { lines, reportedUsd, discount, otherUsd } = receipt({ ...none, input: 1000 }, bundle, 0.008)
  expect(lines[0]).toMatchObject({ tokens: 1000, usd: null })
  expect(reportedUsd).toBeCloseTo(0.01, 12)
  expect(discount?.usd).toBeCloseTo(0.002, 12)
  expect(otherUsd).toBeNull()
})

it('only counts the tokens of a charge that the user confirmed, if any are known', () => {
  expect(confirmedReceipt({ ...none, input: 1000 }, 0.5)).toEqual({
    lines: [{ label: 'Input', tokens: 1000, perMillionUsd: null, usd: null }],
    reportedUsd: null,
    discount: null,
    otherUsd: null,
    totalUsd: 0.5,
  })
  expect(confirmedReceipt(null, 0).lines).toEqual([])
})
