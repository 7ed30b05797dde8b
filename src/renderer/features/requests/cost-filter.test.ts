import { expect, it } from 'vitest'
import { anyCost, formatCostFilter, isSameCost, parseBounds, quickCosts } from './filter-bar.tsx'

it('names each filter briefly', () => {
  expect(formatCostFilter(anyCost)).toBe('Any cost')
  expect(quickCosts.map(formatCostFilter)).toEqual([
    '≥ $0.01',
    '≥ $0.10',
    '≥ $1.00',
    'Unsettled',
    'Held',
    'Unknown price',
    'Paid by a plan',
    'From the response cache',
  ])
  expect(formatCostFilter({ ...anyCost, maxCostUsd: 0.5 })).toBe('≤ $0.50')
  expect(formatCostFilter({ ...anyCost, minCostUsd: 0, maxCostUsd: 0.5 })).toBe('$0.00 – $0.50')
  expect(formatCostFilter({ ...anyCost, minCostUsd: 1, costStatus: 'confirmed' })).toBe('Confirmed, ≥ $1.00')
  expect(formatCostFilter({ ...anyCost, maxCostUsd: 2, held: 'true' })).toBe('Held, ≤ $2.00')
})

it('distinguishes filters', () => {
  expect(isSameCost(anyCost, { ...anyCost })).toBe(true)
  expect(isSameCost(anyCost, { ...anyCost, minCostUsd: 0 })).toBe(false)
})

it('parses bounds', () => {
  expect(parseBounds('$0.10', '1,000')).toEqual({
    minCostUsd: 0.1,
    maxCostUsd: 1000,
    minError: null,
    maxError: null,
  })
  expect(parseBounds('', '')).toMatchObject({
    minCostUsd: null,
    maxCostUsd: null,
    minError: null,
    maxError: null,
  })
  expect(parseBounds('2', '2')).toMatchObject({ minError: null, maxError: null })
})

it('reports an error at its field', () => {
  expect(parseBounds('cheap', '1')).toMatchObject({ minError: expect.any(String), maxError: null })
  expect(parseBounds('1', '-2')).toMatchObject({ minError: null, maxError: expect.any(String) })
  expect(parseBounds('2', '1')).toMatchObject({ minError: null, maxError: 'Must not be less than “From”.' })
})
