import { describe, expect, it } from 'vitest'
import type { UsageBuckets } from '../../shared/requests.ts'
import { costOf } from '../billing/cost.ts'
import { NO_USAGE, tokensIn } from '../formats/token-usage.ts'
import { BUNDLED } from './price-data.ts'
import { listOverrides, OVERRIDES_AS_OF } from './price-overrides.ts'
import { databaseModel, pricedModel } from './prices.ts'
import { type Figure, figures } from './testing/figures.ts'

const NOON = '2026-11-20T12:00:00Z'

function nanoOf({ vendor, model, usage: given, at = NOON }: Figure): number {
  const found = pricedModel(vendor, model, new Date(at))
  if (!found) throw new Error(`no price of ${vendor} ${model}`)
  expect(found.price.origin.match).toBe('exact')
  const usage: UsageBuckets = { ...NO_USAGE, ...given }
  return costOf(usage, found.price.rates(tokensIn(usage)), 0)
}

/** What the working says, in nano-dollars: tokens times USD per million, which is micro-dollars. */
function worked({ working }: Figure): number {
  const parts = working.split(' + ').map((part) => part.replaceAll('_', '').split(' × ').map(Number))
  return Math.round(parts.reduce((sum, [tokens = 0, rate = 0]) => sum + tokens * rate, 0) * 1000)
}

describe('the price of', () => {
  it.each(
    figures.map((figure) => [`${figure.vendor} ${figure.model}`, figure.note ?? 'mixed', figure] as const),
  )('%s (%s) is what its vendor publishes', (_, __, figure) => {
    expect(nanoOf(figure)).toBe(Math.round(figure.usd * 1e9))
    expect(worked(figure)).toBe(Math.round(figure.usd * 1e9))
  })

  it('at least 40 models of 8 vendors is held so', () => {
    expect(new Set(figures.map(({ vendor, model }) => `${vendor} ${model}`)).size).toBeGreaterThanOrEqual(40)
    expect(new Set(figures.map(({ vendor }) => vendor)).size).toBeGreaterThanOrEqual(8)
  })
})

describe('where a price comes from', () => {
  const at = new Date(NOON)
  const origin = (vendor: string, model: string) => pricedModel(vendor, model, at)?.price.origin

  it('is said with the price', () => {
    expect(origin('openai', 'gpt-5')).toEqual({ source: 'database', match: 'exact', asOf: BUNDLED.asOf })
    expect(origin('anthropic', 'claude-sonnet-5-5')).toEqual({
      source: 'override',
      match: 'exact',
      asOf: OVERRIDES_AS_OF,
    })
    expect(origin('anthropic', 'claude-sonnet-5-9')).toMatchObject({
      source: 'database',
      match: 'approximate',
    })
    expect(origin('openai', 'no-such-model')).toBeUndefined()
  })

  it('is the same for a model with its release date', () => {
    expect(origin('anthropic', 'claude-haiku-5-5-20261015')).toMatchObject({ source: 'override' })
    expect(origin('anthropic', 'claude-haiku-4-5-20251001')).toMatchObject({ match: 'exact' })
  })

  it.each(listOverrides().map(({ priceId, modelId }) => [priceId, modelId]))(
    'needs its row for %s %s: the database lacks the model or says otherwise',
    (priceId, modelId) => {
      const known = databaseModel(priceId, modelId, at)
      const ours = pricedModel(priceId, modelId, at)
      const same = known?.price.origin.match === 'exact' ? known.price.rates(1_000_000) : null
      expect(ours?.price.rates(1_000_000)).not.toEqual(same)
    },
  )
})
