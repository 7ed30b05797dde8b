import { expect, it } from 'vitest'
import { anyCost, costName, quickCosts, readBounds, sameCost } from './cost-choice.ts'

it('says in a word or two what is asked for', () => {
  expect(costName(anyCost)).toBe('Any cost')
  expect(quickCosts.map(costName)).toEqual(['≥ $0.01', '≥ $0.10', '≥ $1.00', 'Unsettled', 'Unknown price'])
  expect(costName({ ...anyCost, maxCostUsd: 0.5 })).toBe('≤ $0.50')
  expect(costName({ ...anyCost, minCostUsd: 0, maxCostUsd: 0.5 })).toBe('$0.00 – $0.50')
  expect(costName({ minCostUsd: 1, maxCostUsd: null, costStatus: 'confirmed' })).toBe(
    'Confirmed by you, ≥ $1.00',
  )
})

it('tells the choices apart', () => {
  expect(sameCost(anyCost, { ...anyCost })).toBe(true)
  expect(sameCost(anyCost, { ...anyCost, minCostUsd: 0 })).toBe(false)
})

it('reads bounds as they are typed', () => {
  expect(readBounds('$0.10', '1,000')).toEqual({
    minCostUsd: 0.1,
    maxCostUsd: 1000,
    minError: null,
    maxError: null,
  })
  expect(readBounds('', '')).toMatchObject({
    minCostUsd: null,
    maxCostUsd: null,
    minError: null,
    maxError: null,
  })
  expect(readBounds('2', '2')).toMatchObject({ minError: null, maxError: null })
})

it('says what is wrong, at the field where it is', () => {
  expect(readBounds('cheap', '1')).toMatchObject({ minError: expect.any(String), maxError: null })
  expect(readBounds('1', '-2')).toMatchObject({ minError: null, maxError: expect.any(String) })
  expect(readBounds('2', '1')).toMatchObject({ minError: null, maxError: 'Not less than “from”.' })
})
