import { findProvider } from '@pydantic/genai-prices'
import { describe, expect, test } from 'vitest'
import type { PriceOrigin, Pricing } from '../../../shared/api/models.ts'
import type { UsageBuckets } from '../../../shared/api/requests.ts'
import { NO_USAGE } from '../../../shared/api/usage-buckets.ts'
import { tokensIn } from '../../formats/chat/usage.ts'
import { costOfCalls, isStated } from '../../spend/cost.ts'
import { knownProviders } from '../providers/known-providers.ts'
import { modelDataFile } from './model-data.ts'
import { createFlatPrice } from './price-bands.ts'
import { PriceDatabase } from './price-database.ts'
import {
  findVendorPrice,
  PRICE_PRECEDENCE,
  type PriceCandidates,
  pickPrice,
  suggestPrice,
} from './price-sources.ts'
import { type Figure, figures } from './testing/figures.ts'
import { unitFigures } from './testing/unit-figures.ts'

const NOON = '2026-11-20T12:00:00Z'
const database = new PriceDatabase()

function computeNano({ vendor, model, usage: given, tier, at = NOON }: Figure): number {
  const price = findVendorPrice(database, vendor, model, new Date(at))
  if (!price) throw new Error(`no price of ${vendor} ${model}`)
  expect(price.origin.match).toBe('exact')
  const usage: UsageBuckets = { ...NO_USAGE, ...given }
  const rates = price.rates(tokensIn(usage), tier)
  expect(isStated(usage, rates)).toBe(true)
  return costOfCalls([{ usage, rates }], 0)
}

describe('the price of', () => {
  test.each(
    [...figures, ...unitFigures].map(
      (figure) => [`${figure.vendor} ${figure.model}`, figure.note, figure] as const,
    ),
  )('%s (%s) is what its vendor publishes', (_, __, figure) => {
    expect(computeNano(figure)).toBe(Math.round(figure.usd * 1e9))
  })

  test('is tested for at least 40 models of 8 vendors', () => {
    expect(new Set(figures.map(({ vendor, model }) => `${vendor} ${model}`)).size).toBeGreaterThanOrEqual(40)
    expect(new Set(figures.map(({ vendor }) => vendor)).size).toBeGreaterThanOrEqual(8)
  })
})

describe('the price of a unit', () => {
  const at = new Date(NOON)
  const rates = (model: string, tier?: string) =>
    findVendorPrice(database, 'openai', model, at)?.rates(0, tier)

  test('is not known for a tier that its vendor does not publish, or a unit that it does not bill', () => {
    for (const [model, tier] of [
      ['gpt-5.5-pro', 'priority'],
      ['gpt-4.1', 'flex'],
      ['gpt-5', 'scale'],
    ] as const)
      expect(rates(model, tier)?.assumed).toContain('output')
    expect(rates('gpt-5')?.assumed).toEqual(
      expect.arrayContaining(['audioSeconds', 'characters', 'images', 'searches']),
    )
  })

  test.each([
    ['o3', 2, 3.5, 8, 14],
    ['o4-mini', 1.1, 2, 4.4, 8],
    ['gpt-4o', 2.5, 4.25, 10, 17],
    ['gpt-4o-2024-08-06', 2.5, 4.25, 10, 17],
    ['gpt-4.1-mini', 0.4, 0.7, 1.6, 2.8],
  ])('of %s in the priority tier is what OpenAI publishes', (model, input, inputFast, output, outputFast) => {
    const [standard, priority] = [rates(model), rates(model, 'priority')]
    expect(((priority?.input ?? 0) / (standard?.input ?? 0)) * input).toBeCloseTo(inputFast, 9)
    expect(((priority?.output ?? 0) / (standard?.output ?? 0)) * output).toBeCloseTo(outputFast, 9)
    expect(priority?.assumed).not.toContain('output')
  })

  test('of moderation is nothing', () => {
    expect(findVendorPrice(database, 'openai', 'omni-moderation-latest', at)?.pricing).toMatchObject({
      inputPerMillion: 0,
      outputPerMillion: 0,
    })
  })
})

describe('the origin of a price', () => {
  const at = new Date(NOON)
  const origin = (vendor: string, model: string) => findVendorPrice(database, vendor, model, at)?.origin

  test('is the database, or the shipped data where that has a price', () => {
    const { prices, models } = modelDataFile.sources
    expect(origin('openai', 'gpt-5')).toEqual({ source: 'database', match: 'exact', asOf: prices.asOf })
    expect(origin('anthropic', 'claude-sonnet-5-5')).toEqual({
      source: 'override',
      match: 'exact',
      asOf: models.asOf,
    })
    expect(origin('anthropic', 'claude-sonnet-5-9')).toMatchObject({
      source: 'database',
      match: 'approximate',
    })
    expect(origin('openai', 'no-such-model')).toBeUndefined()
  })

  test('is the same for a model with its release date', () => {
    expect(origin('anthropic', 'claude-haiku-5-5-20261015')).toMatchObject({ source: 'override' })
    expect(origin('anthropic', 'claude-haiku-4-5-20251001')).toMatchObject({ match: 'exact' })
  })

  test('does not depend on whether the model was looked up before', () => {
    const look = (fresh: PriceDatabase) => fresh.find('deepseek', 'deepseek-v4-pro', at)?.price.rates(0)
    const [first, second] = [look(database), look(database)]
    expect(second).toEqual(first)
    expect(look(new PriceDatabase())).toEqual(first)
    const peak = database.find('deepseek', 'deepseek-v4-pro', new Date('2026-11-20T02:30:00Z'))
    expect(peak?.price.rates(0)).not.toEqual(first)
  })
})

describe('of several prices', () => {
  const pricing = (usd: number): Pricing => ({ inputPerMillion: usd, outputPerMillion: usd })
  const all: [PriceOrigin['source'], PriceCandidates][] = [
    ['user', { user: pricing(1) }],
    ['builtin', { builtin: pricing(2) }],
    ['local', { isLocal: true }],
    ['provider', { listed: pricing(3) }],
    [
      'override',
      { corrected: createFlatPrice(pricing(4), { source: 'override', match: 'exact', asOf: null }) },
    ],
    [
      'database',
      { database: createFlatPrice(pricing(5), { source: 'database', match: 'exact', asOf: null }) },
    ],
  ]

  test('the order is that of `PRICE_PRECEDENCE`', () => {
    expect(PRICE_PRECEDENCE.map(({ source }) => source)).toEqual(all.map(([source]) => source))
  })

  test.each(all.map(([source], index) => [source, index] as const))(
    '%s comes before the rest',
    (source, index) => {
      const candidates = Object.assign({}, ...all.slice(index).map(([, candidate]) => candidate))
      expect(pickPrice(candidates)?.origin.source).toBe(source)
    },
  )

  test('none counts when the user declared the price unknown', () => {
    expect(pickPrice({ ...all[3]?.[1], user: null })).toBeNull()
    expect(pickPrice({})).toBeNull()
  })
})

const prices = new PriceDatabase()
const NOW = new Date('2026-11-20T12:00:00Z')
const suggest = (id: string) => {
  const found = suggestPrice(id, prices, NOW)
  return found && [found.knownAs, found.provider, found.match, found.pricing.inputPerMillion]
}

test.each([
  ['gpt-4o', 'gpt-4o', 'OpenAI', 'exact', 2.5],
  ['openai/gpt-4o:extended', 'openai/gpt-4o', 'OpenRouter', 'exact', 2.5],
  ['Acme/GPT-4o', 'gpt-4o', 'OpenAI', 'exact', 2.5],
  ['gpt-4o-mini-for-support', 'gpt-4o-mini', 'OpenAI', 'approximate', 0.15],
  ['llama-3.3-70b-instruct', 'meta-llama/llama-3.3-70b-instruct', 'OpenRouter', 'exact', 0.05],
])('the price of %s is suggested as that of %s at %s (%s)', (id, knownAs, provider, match, input) => {
  expect(suggest(id)).toEqual([knownAs, provider, match, input])
})

test('nothing is suggested for a name that no vendor uses', () => {
  expect(suggest('my-model')).toBeNull()
  expect(suggest('own-model-v2')).toBeNull()
  expect(suggest('gpt')).toBeNull()
})

test.each(knownProviders.flatMap(({ name, priceId }) => (priceId === undefined ? [] : [[name, priceId]])))(
  'the prices of %s are in the package',
  (_, priceId = '') => {
    const found = findProvider({ providerId: priceId })
    expect(found?.id).toBe(priceId)
    expect(found?.models.length).toBeGreaterThan(0)
  },
)
