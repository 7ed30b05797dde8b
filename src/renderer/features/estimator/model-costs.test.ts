import { expect, test } from 'vitest'
import { modelRow } from '../../testing/rows.ts'
import { estimateCost, matchesCostFilter } from './workload.ts'

const tokens = { requests: null, input: 5e6, cacheRead: 4e6, cacheWrite: 1e6, output: 2e6 }

test('caches have their own prices, or else that of input', () => {
  const prices = { inputPerMillion: 2, outputPerMillion: 10 }
  expect(estimateCost(prices, tokens, 0)).toBe(10 * 2 + 20)
  expect(estimateCost({ ...prices, cacheReadPerMillion: 0.2, cacheWritePerMillion: 2.5 }, tokens, 0)).toBe(
    10 + 0.8 + 2.5 + 20,
  )
})

test('the discount and a price per request are part of the cost', () => {
  const prices = { inputPerMillion: 2, outputPerMillion: 10, perThousandRequests: 5 }
  expect(estimateCost(prices, { ...tokens, requests: 2_000 }, 20)).toBe((40 + 10) * 0.8)
})

test('a model must have all that is asked of it', () => {
  const model = modelRow('vendor/seer', {
    name: 'Seer Large',
    capabilities: ['vision', 'tools'],
    contextWindow: 200_000,
  })
  const none = { text: '', capabilities: [], context: 0 }
  expect(matchesCostFilter(none, model)).toBe(true)
  expect(matchesCostFilter({ ...none, text: 'large seer' }, model)).toBe(true)
  expect(matchesCostFilter({ ...none, text: 'small' }, model)).toBe(false)
  expect(matchesCostFilter({ ...none, capabilities: ['vision', 'tools'] }, model)).toBe(true)
  expect(matchesCostFilter({ ...none, capabilities: ['vision', 'json'] }, model)).toBe(false)
  expect(matchesCostFilter({ ...none, context: 200_000 }, model)).toBe(true)
  expect(matchesCostFilter({ ...none, context: 1_000_000 }, model)).toBe(false)
  expect(matchesCostFilter({ ...none, context: 1 }, { ...model, contextWindow: null })).toBe(false)
})
