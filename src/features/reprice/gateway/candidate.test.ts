import { describe, expect, test } from 'vitest'
import type { Offer } from '../../../gateway/models/catalog/offers.ts'
import { createFlatPrice, createPriceByPrompt } from '../../../gateway/models/catalog/price-bands.ts'
import type { UsageBuckets } from '../../../shared/api/requests.ts'
import { REQUEST_NEEDS } from '../../../shared/api/terms.ts'
import { NO_USAGE } from '../../../shared/api/usage-buckets.ts'
import type { RequestGroup, SizeLimits } from './group-rows.ts'
import { Candidate, priceGroups, sizeLimits } from './price-groups.ts'
import { sampleOffer } from './testing/sample-offers.ts'

const ORIGIN = { source: 'user', match: 'exact', asOf: null } as const

interface Sizes {
  prompt: number
  output: number
}

/** A request of a model that is no candidate. */
function getGroup({ prompt, output }: Sizes, limits: SizeLimits, patch: Partial<RequestGroup> = {}) {
  const findClass = (size: number, list: readonly number[]) => list.filter((limit) => size > limit).length
  const group: RequestGroup = {
    ...{
      keyId: 'key_a',
      client: '',
      tag: '',
      model: 'served',
      provider: 'other',
      endpoint: null,
      tier: null,
    },
    ...{ needs: 0, rare: 0, priced: true, requests: 1, estimated: 0, chargedNano: 0 },
    prompt: findClass(prompt, limits.prompt),
    output: findClass(output, limits.output),
    total: findClass(prompt + output, limits.total),
    usage: { ...NO_USAGE, input: prompt, output },
    ...patch,
  }
  return group
}

const SMALL: Sizes = { prompt: 1_000, output: 100 }

function obstacleFor(offer: Partial<Offer>, patch: Partial<RequestGroup>, sizes = SMALL) {
  const full = sampleOffer('candidate', offer)
  const limits = sizeLimits([full])
  const group = getGroup(sizes, limits, patch)
  const { price } = full
  if (!price) throw new Error('no price')
  return new Candidate(full, price, limits).obstacle(group)
}

const withUsage = (usage: Partial<UsageBuckets>) => ({ usage: { ...NO_USAGE, input: 10, ...usage } })

describe('a model could not have served a request', () => {
  const noTools = { capabilities: ['streaming'] } as const
  test.each([
    ['images', noTools, { needs: REQUEST_NEEDS.vision }, 'vision'],
    ['image tokens, of an old request', noTools, { needs: null, ...withUsage({ imageInput: 5 }) }, 'vision'],
    ['tools', noTools, { needs: REQUEST_NEEDS.tools }, 'tools'],
    ['JSON', noTools, { needs: REQUEST_NEEDS.json }, 'json'],
    ['an API of its own', {}, { needs: REQUEST_NEEDS.ownApi }, 'own_api'],
    ['images as answers', {}, withUsage({ imageOutput: 9 }), 'images'],
    ['audio', {}, withUsage({ audioInput: 9 }), 'unit'],
    ['searches of the web', {}, withUsage({ webSearches: 1 }), 'unit'],
    ['a long answer', { maxOutputTokens: 99 }, {}, 'output'],
    ['a long prompt', { contextWindow: 1_099 }, {}, 'context'],
  ] as const)('with %s', (_, offer, group, reason) => {
    expect(obstacleFor(offer, group)).toBe(reason)
  })

  test('and it could with the last token that fits, with unknown capabilities, or if it was the one', () => {
    expect(obstacleFor({ maxOutputTokens: 100, contextWindow: 1_100 }, {})).toBeNull()
    const { vision, tools, json } = REQUEST_NEEDS
    expect(obstacleFor({ ...noTools, capabilitiesKnown: false }, { needs: vision | tools | json })).toBeNull()
    const own = { model: 'candidate', provider: 'acme', needs: vision }
    expect(obstacleFor({ ...noTools, contextWindow: 1 }, own)).toBeNull()
  })

  test('of another tokenizer: the limits are those of its own tokens', () => {
    // Claude has 1.2 tokens for one of others.
    const claude = { vendorModel: 'claude-haiku-4-5', contextWindow: 1_320 }
    expect(obstacleFor(claude, {}, { prompt: 1_000, output: 100 })).toBeNull()
    expect(obstacleFor(claude, {}, { prompt: 1_001, output: 100 })).toBe('context')
    const served = { model: 'claude-sonnet-4-5' }
    expect(obstacleFor({ contextWindow: 1_000 }, served, { prompt: 1_100, output: 100 })).toBeNull()
    expect(obstacleFor({ contextWindow: 1_000 }, served, { prompt: 1_101, output: 100 })).toBe('context')
  })
})

describe('the cost with another model', () => {
  const pricing = { inputPerMillion: 10, outputPerMillion: 20 }

  function priced(offer: Partial<Offer>, groups: (limits: SizeLimits) => RequestGroup[]) {
    const full = sampleOffer('candidate', offer)
    const limits = sizeLimits([full])
    if (!full.price) throw new Error('no price')
    return priceGroups(groups(limits), new Candidate(full, full.price, limits), 0)
  }

  test('is that of each prompt at its length', () => {
    const price = createPriceByPrompt(
      [
        { above: 0, pricing: { inputPerMillion: 1, outputPerMillion: 0 } },
        { above: 2_000, pricing: { inputPerMillion: 3, outputPerMillion: 0 } },
      ],
      ORIGIN,
    )
    const { costNano } = priced({ price }, (limits) =>
      [2_000, 2_001].map((prompt) => getGroup({ prompt, output: 0 }, limits)),
    )
    expect(costNano).toBe(2_000 * 1_000 + 2_001 * 3_000)
  })

  test('has two bounds: with the cache that there was, and with none', () => {
    const cached = withUsage({ input: 100, cacheRead: 800, cacheWrite5m: 100, output: 0 })
    const bounds = (price: Offer['price']) => {
      const { costNano, uncachedNano } = priced({ price }, (limits) => [getGroup(SMALL, limits, cached)])
      return [costNano, uncachedNano]
    }
    const cheapReads = { ...pricing, cacheReadPerMillion: 1, cacheWritePerMillion: 12 }
    expect(bounds(createFlatPrice(cheapReads, ORIGIN))).toEqual([
      100 * 10_000 + 800 * 1_000 + 100 * 12_000,
      1_000 * 10_000,
    ])
    // Without a price for the cache both are the same.
    expect(bounds(createFlatPrice(pricing, ORIGIN))).toEqual([1_000 * 10_000, 1_000 * 10_000])
  })

  test('counts a fee for each request, and converts tokens but not units', () => {
    const fee = { ...pricing, perThousandRequests: 1, perThousandWebSearches: 5 }
    const offer = { vendorModel: 'claude-haiku-4-5', price: createFlatPrice(fee, ORIGIN) }
    const usage = withUsage({ input: 1_000, output: 0, webSearches: 2 })
    const { costNano, converted } = priced(offer, (limits) => [
      getGroup(SMALL, limits, { ...usage, requests: 3 }),
    ])
    expect(costNano).toBe(1_200 * 10_000 + 3 * 1_000_000 + 2 * 5_000_000)
    expect(converted).toBe(3)
  })

  test('says how many requests may have needed what the model lacks', () => {
    const { served, unchecked } = priced({ capabilities: ['tools', 'json'] }, (limits) => [
      getGroup(SMALL, limits, { needs: null }),
      getGroup(SMALL, limits),
    ])
    expect([served, unchecked]).toEqual([2, 1])
  })
})
