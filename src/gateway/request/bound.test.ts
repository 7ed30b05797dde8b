import { describe, expect, it, test } from 'vitest'
import type { ChatRequest } from '../../shared/formats/chat.ts'
import { NO_CONTENT, type SentContent } from '../formats/chat/content-counter.ts'
import type { Offer } from '../models/catalog/offers.ts'
import { createFlatPrice } from '../models/catalog/price-bands.ts'
import { testOffer } from '../models/catalog/testing/offer.ts'
import { MAX_REQUEST_NANO } from '../spend/cost.ts'
import { type Bound, computeBound, outputBound, type SentSize } from './bound.ts'
import { maxCost } from './quote.ts'

const offer = testOffer({
  maxOutputTokens: 100,
  price: createFlatPrice(
    { inputPerMillion: 1, outputPerMillion: 2, cacheWritePerMillion: 1.25 },
    { source: 'user', match: 'exact', asOf: null },
  ),
})
const hi: ChatRequest = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] }
const images = (count: number, bytes: number): SentContent => ({ ...NO_CONTENT, images: { count, bytes } })
const computePrompt = (
  bytes: number,
  content = NO_CONTENT,
  more: Partial<Offer & SentSize> = {},
  request = hi,
) => computeBound(request, { ...offer, ...more }, { calls: 1, bytes, content, ...more }).prompt

describe('the bound of a prompt', () => {
  it('is one token for each byte sent', () => {
    expect(computePrompt(5_000)).toBe(5_000)
  })

  it('includes the instructions that vendors add for tools and formats', () => {
    const tools: ChatRequest['tools'] = [{ type: 'function', function: { name: 'f' } }]
    expect(computePrompt(5_000, NO_CONTENT, {}, { ...hi, tools })).toBe(6_000)
    expect(computePrompt(5_000, NO_CONTENT, {}, { ...hi, response_format: { type: 'json_object' } })).toBe(
      6_000,
    )
    expect(computePrompt(5_000, NO_CONTENT, { vendorTools: 3 })).toBe(11_000)
  })

  it.each([
    ['an unknown model', 'm', 16_384],
    ['gpt-4o-mini, which counts most', 'gpt-4o-mini', 48_200],
    ['Claude', 'claude-sonnet-5', 4_800],
  ])('counts the maximum tokens of an image: %s', (_, vendorModel, tokens) => {
    expect(computePrompt(4_100, images(1, 4_000), { vendorModel })).toBe(100 + tokens)
  })

  it('is at most the context window', () => {
    expect(computePrompt(30_000, NO_CONTENT, { contextWindow: 8_000 })).toBe(8_000)
  })

  it('is the bytes where the prompt is likely to be longer than the window in the catalog', () => {
    expect(computePrompt(50_000, NO_CONTENT, { contextWindow: 8_000 })).toBe(50_000)
    const content = { ...NO_CONTENT, external: true }
    expect(computePrompt(50_000, content, { contextWindow: 8_000 })).toBe(50_000)
  })

  it('is the window where it is only data that is longer', () => {
    const content = { ...NO_CONTENT, dataBytes: 10_000_000, unsized: true }
    expect(computePrompt(10_000_100, content, { contextWindow: 8_000 })).toBe(8_000)
    expect(computePrompt(10_000_100, { ...content, unsized: false }, { contextWindow: 8_000 })).toBe(8_000)
  })

  it.each([
    ['an unsized document', { ...NO_CONTENT, unsized: true }],
    ['external content', { ...NO_CONTENT, external: true }],
  ])('is the whole window with %s, enlarged by a beta', (_, content) => {
    expect(computePrompt(100, content, { contextWindow: 64_000 })).toBe(64_000)
    expect(computePrompt(100, content, { contextWindow: 64_000, askedWindow: 500_000 })).toBe(500_000)
    expect(computePrompt(100, content)).toBe(1_000_000)
    expect(computePrompt(100, content, { askedWindow: 2_000_000 })).toBe(2_000_000)
  })

  it('that is not positive is an error', () => {
    expect(() => computePrompt(100, images(0, 100))).toThrow(RangeError)
    expect(() => computePrompt(Number.NaN)).toThrow(RangeError)
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

  it('includes reasoning that the limit does not cover', () => {
    const limited = { ...hi, max_tokens: 20 }
    const reasoning = { ...offer, capabilities: ['reasoning' as const] }
    const tokens = (more: object, quirks = {}) =>
      outputBound({ ...limited, ...more }, reasoning, { quirks }).tokens
    expect(tokens({})).toBe(20)
    expect(tokens({ reasoning: { max_tokens: 3_000 } })).toBe(3_020)
    expect(tokens({ thinking_budget: 4_000 })).toBe(4_020)
    expect(tokens({ thinking: { budget_tokens: 19 } })).toBe(20)
    expect(tokens({ thinking: { budget_tokens: 5_000 } })).toBe(5_020)
    expect(tokens({}, { additiveReasoning: true })).toBe(120)
    expect(tokens({}, { unlimitedReasoning: true })).toBe(120)
    expect(tokens({ reasoning_effort: 'none' }, { additiveReasoning: true })).toBe(20)
  })

  it('counts every choice, in one call or in several', () => {
    const size = { bytes: 10, content: NO_CONTENT }
    expect(computeBound({ ...hi, n: 3 }, offer, { ...size, calls: 1 })).toMatchObject({
      calls: 1,
      output: 300,
    })
    expect(computeBound({ ...hi, n: 3 }, offer, { ...size, calls: 3 })).toMatchObject({
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
    const price = createFlatPrice(
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
  const priced = testOffer({
    price: createFlatPrice(pricing, { source: 'user', match: 'exact', asOf: null }),
  })
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
