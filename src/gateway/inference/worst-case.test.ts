import { describe, expect, it, test } from 'vitest'
import type { ChatRequest } from '../../shared/chat.ts'
import { MAX_REQUEST_NANO } from '../billing/cost.ts'
import type { Offer } from '../catalog/offers.ts'
import { flatPrice } from '../catalog/price.ts'
import { testOffer } from '../catalog/testing/offer.ts'
import { measureImages } from '../tokens/estimate-tokens.ts'
import { type Bound, boundOf, maxCost, outputBound } from './worst-case.ts'

const offer = testOffer({
  maxOutputTokens: 100,
  price: flatPrice(
    { inputPerMillion: 1, outputPerMillion: 2, cacheWritePerMillion: 1.25 },
    { source: 'user', match: 'exact', asOf: null },
  ),
})
const NO_IMAGES = { count: 0, bytes: 0 }
const hi: ChatRequest = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] }
const image = (url: string): ChatRequest => ({
  model: 'm',
  messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
})

describe('the bound of a prompt', () => {
  it('is one token for each byte sent', () => {
    expect(boundOf(hi, offer, { bytes: 5_000, images: NO_IMAGES, calls: 1, external: false }).prompt).toBe(
      5_000,
    )
  })

  it('includes the instructions that vendors add for tools', () => {
    const request: ChatRequest = { ...hi, tools: [{ type: 'function', function: { name: 'f' } }] }
    expect(
      boundOf(request, offer, { bytes: 5_000, images: NO_IMAGES, calls: 1, external: false }).prompt,
    ).toBe(6_000)
  })

  it.each([
    ['an unknown model', 'm', 16_384],
    ['gpt-4o-mini, which counts most', 'gpt-4o-mini', 48_200],
    ['Claude', 'claude-sonnet-5', 4_800],
  ])('counts the maximum tokens of an image: %s', (_, vendorModel, tokens) => {
    const request = image(`data:image/png;base64,${'A'.repeat(4_000)}`)
    const size = { bytes: 4_100, images: measureImages(request), calls: 1, external: false }
    expect(boundOf(request, { ...offer, vendorModel }, size).prompt).toBe(100 + tokens)
  })

  it.each([
    ['text in a data URL', `data:text/plain;base64,${'A'.repeat(400)}`],
    ['data that is not base64', `data:image/png;base64,${'a b '.repeat(100)}`],
    ['an address', `https://example.com/${'a'.repeat(400)}.png`],
  ])('does not subtract data for %s', (_, url) => {
    expect(measureImages(image(url))).toEqual({ count: 1, bytes: 0 })
  })

  it('is at most the context window', () => {
    const small = { ...offer, contextWindow: 8_000 }
    expect(boundOf(hi, small, { bytes: 50_000, images: NO_IMAGES, calls: 1, external: false }).prompt).toBe(
      8_000,
    )
  })

  it.each<[string, Partial<ChatRequest>]>([
    ['a stored file', { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'x' } }] }] }],
    ['an unknown part', { messages: [{ role: 'user', content: [{ type: 'video_url' }] }] }],
    ['a search', { web_search_options: {} }],
    ['a tool of the provider', { tools: [{ type: 'browser_search' }] }],
  ])('is the whole context where the body refers to %s', (_, more) => {
    const size = { bytes: 100, images: NO_IMAGES, calls: 1, external: false }
    expect(boundOf({ ...hi, ...more }, { ...offer, contextWindow: 64_000 }, size).prompt).toBe(64_000)
    expect(boundOf({ ...hi, ...more }, offer, size).prompt).toBe(1_000_000)
  })
})

describe('the bound of an answer', () => {
  it.each<[string, Partial<ChatRequest>, Partial<Offer>, number, boolean]>([
    ['the limit of the request', { max_tokens: 500 }, {}, 500, false],
    ['the newer of two limits', { max_tokens: 500, max_completion_tokens: 7 }, {}, 7, false],
    ['the limit of the model', {}, {}, 100, false],
    ['an assumption where no limit is known', {}, { maxOutputTokens: null }, 16_384, true],
    ['no more than a small context', {}, { maxOutputTokens: null, contextWindow: 4_096 }, 4_096, true],
    ['at most ten million', { max_tokens: 1e12 }, {}, 10_000_000, false],
  ])('is %s', (_, request, model, tokens, assumed) => {
    expect(outputBound({ ...hi, ...request }, { ...offer, ...model })).toEqual({ tokens, assumed })
  })

  it('counts every choice, in one call or in several', () => {
    const size = { bytes: 10, images: NO_IMAGES }
    expect(boundOf({ ...hi, n: 3 }, offer, { ...size, calls: 1, external: false })).toMatchObject({
      calls: 1,
      output: 300,
    })
    expect(boundOf({ ...hi, n: 3 }, offer, { ...size, calls: 3, external: false })).toMatchObject({
      calls: 3,
      output: 100,
    })
  })
})

describe('the highest cost of a request', () => {
  it('uses the highest rates, for every call', () => {
    expect(maxCost({ offer, bound: { calls: 3, prompt: 1_000, external: false, output: 10 } }, 10, 0)).toBe(
      // A one-hour cache write costs 1.6 times a five-minute one.
      3 * (2_000_000 + 20_000),
    )
  })

  it('stays within the range of exact integers', () => {
    const price = flatPrice(
      { inputPerMillion: 10_000, outputPerMillion: 10_000 },
      { source: 'user', match: 'exact', asOf: null },
    )
    expect(
      maxCost(
        { offer: { ...offer, price }, bound: { calls: 128, prompt: 1e9, external: false, output: 1e7 } },
        1e7,
        0,
      ),
    ).toBe(MAX_REQUEST_NANO)
  })
})

describe('the highest cost of a request', () => {
  const pricing = {
    inputPerMillion: 1,
    outputPerMillion: 10,
    perThousandWebSearches: 10,
    tierFactors: { priority: 2, flex: 0.5 },
  }
  const priced = testOffer({ price: flatPrice(pricing, { source: 'user', match: 'exact', asOf: null }) })
  const cost = (bound: Partial<Bound>) =>
    maxCost(
      { offer: priced, bound: { calls: 1, prompt: 1_000, external: false, output: 0, ...bound } },
      100,
      0,
    )

  test('is that of the tier that it asks for, or of the standard one if that costs more', () => {
    // 1,000 × 1 + 100 × 10 = 0.002 USD
    expect(cost({})).toBe(2_000_000)
    expect(cost({ tier: 'priority' })).toBe(4_000_000)
    expect(cost({ tier: 'flex' })).toBe(2_000_000)
    expect(cost({ tier: 'scale' })).toBe(2_000_000)
  })

  test('includes the searches of the web that are allowed', () => {
    expect(cost({ units: { most: { webSearches: 3 }, likely: {} } })).toBe(32_000_000)
  })
})
