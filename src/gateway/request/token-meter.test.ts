import { describe, expect, it, test } from 'vitest'
import type { Plan } from '../../shared/api/account.ts'
import type { UsageBuckets } from '../../shared/api/requests.ts'
import { NO_USAGE } from '../../shared/api/usage-buckets.ts'
import type { ChatChunk } from '../../shared/formats/chat-completion.ts'
import { nanoUsd } from '../../shared/money/money.ts'
import type { ReportedUsage } from '../formats/chat/usage.ts'
import { createFlatPrice, createPriceByPrompt } from '../models/catalog/price-bands.ts'
import { testOffer } from '../models/catalog/testing/offer.ts'
import type { Bound } from './bound.ts'
import type { Priced } from './quote.ts'
import { producedBytes, TokenMeter } from './token-meter.ts'

const plan: Plan = {
  id: 'pay-as-you-go',
  name: 'Pay as you go',
  monthlyUsd: 0,
  discountPercent: 0,
  requestsPerMinute: 1,
  tokensPerMinute: 1,
}
const ORIGIN = { source: 'user', match: 'exact', asOf: null } as const

const offer = testOffer({
  price: createFlatPrice({ inputPerMillion: 1, outputPerMillion: 1 }, ORIGIN),
})

const bound: Bound = { calls: 1, prompt: 100, external: false, output: 1_000 }
const charged: Priced = { offer, bound }
/** A model with known limits. */
const known: Priced = { offer: { ...offer, contextWindow: 100_000, maxOutputTokens: 8_000 }, bound }

function meterOver(tokens: number): { meter: TokenMeter; counted: () => number } {
  let counted = 0
  const count = async () => {
    counted += 1
    return tokens
  }
  return { meter: new TokenMeter(25, plan, count), counted: () => counted }
}

test('a prompt is counted when the answer reports no usage, and charged at most its bound', async () => {
  for (const [tokens, counted] of [
    [19, 19],
    [500, 100],
  ] as const) {
    const { meter } = meterOver(tokens)
    await meter.prepare()
    expect(meter.computeCharge(charged)).toMatchObject({ tokensIn: counted, costStatus: 'estimated' })
  }
})

test("a family whose tokenizer creates more tokens has a higher estimate, within the prompt's bound", async () => {
  const claude = { offer: { ...offer, vendorModel: 'claude-sonnet-5' }, bound }
  for (const [tokens, counted] of [
    [20, 24],
    [90, 100],
  ] as const) {
    const { meter } = meterOver(tokens)
    await meter.prepare()
    expect(meter.computeCharge(claude).tokensIn).toBe(counted)
  }
})

test('a prompt is not counted when the provider reports usage', async () => {
  const { meter, counted } = meterOver(19)
  meter.recordUsage({
    buckets: { ...NO_USAGE, input: 7, output: 3 },
    costUsd: null,
    asChatUsage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
  })
  await meter.prepare()
  expect(counted()).toBe(0)
  expect(meter.computeCharge(charged)).toMatchObject({ tokensIn: 7, costStatus: 'exact' })
})

test('a prompt is counted for an unknown outcome, within the same bounds', async () => {
  const { meter } = meterOver(19)
  await meter.prepare()
  expect(meter.unsettledCharge(charged, null, { likely: 0, max: nanoUsd(100_000) })).toMatchObject({
    tokensIn: 19,
    costNano: 19_000,
    costStatus: 'unsettled',
    costLowNano: 0,
    costHighNano: 100_000,
  })
})

test('an unknown outcome costs nothing for a free model', async () => {
  const { meter } = meterOver(19)
  await meter.prepare()
  const origin = { source: 'local', match: 'exact', asOf: null } as const
  const free = createFlatPrice({ inputPerMillion: 0, outputPerMillion: 0 }, origin)
  const local = { offer: { ...offer, price: free }, bound }
  expect(meter.unsettledCharge(local, null, { likely: 0, max: nanoUsd(100_000) })).toMatchObject({
    costNano: 0,
    costStatus: 'free',
    costHighNano: null,
  })
})

const report = (buckets: Partial<UsageBuckets>, more: Partial<ReportedUsage> = {}): ReportedUsage => ({
  buckets: { ...NO_USAGE, ...buckets },
  costUsd: null,
  asChatUsage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
  ...more,
})

const piece = (content: string, finish: string | null = null): ChatChunk => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 0,
  model: 'm',
  choices: [{ index: 0, delta: { content }, finish_reason: finish }],
})

describe('a usage report', () => {
  it('without tokens for an answer is not used: the charge is an estimate', () => {
    const { meter } = meterOver(19)
    meter.recordChunk(piece('twelve bytes', 'stop'))
    meter.recordUsage(report({ input: 10 }))
    expect(meter.computeCharge(charged)).toMatchObject({
      costStatus: 'estimated',
      tokensIn: 25,
      tokensOut: 3,
      costNano: 28_000,
    })
  })

  it.each<[string, Partial<UsageBuckets>, number | null, number]>([
    ['tokens within the limits of the model', { input: 90_000, output: 8_000 }, null, 98_000_000],
    ['tokens of at most ten times the bound', { input: 10, output: 10_990 }, null, 11_000_000],
    ['a cost of a full context window and a full output', { input: 7, output: 3 }, 0.108, 108_000_000],
    ['a cost close to that of the tokens', { input: 7, output: 3 }, 0.000012, 12_000],
  ])('with %s is charged in full', (_, buckets, costUsd, costNano) => {
    const { meter } = meterOver(19)
    meter.recordUsage(report(buckets, { costUsd }))
    expect(meter.computeCharge(known)).toMatchObject({ costStatus: 'exact', costNano, costHighNano: null })
  })

  it.each<[string, Partial<UsageBuckets>, number | null, number]>([
    ['a longer prompt than the context window', { input: 100_001, output: 3 }, null, 100_004_000],
    ['a longer answer than the output limit', { input: 10, output: 11_000 }, null, 11_010_000],
    ['an absurd count', { input: 1e12, output: 3 }, null, 100_000_000_000_000],
    ['a cost above that of a full window and output', { input: 7, output: 3 }, 0.109, 109_000_000],
  ])('with %s is charged at the bound, and is its upper bound', (_, buckets, costUsd, reported) => {
    const { meter } = meterOver(19)
    meter.recordUsage(report(buckets, { costUsd }))
    expect(meter.computeCharge(known)).toMatchObject({
      costStatus: 'estimated',
      costNano: 1_100_000,
      costLowNano: 0,
      costHighNano: reported,
    })
  })

  it('is judged by 2,000,000 and 200,000 tokens where the limits of the model are not known', () => {
    const unknown = { offer: { ...offer, contextWindow: null, maxOutputTokens: null }, bound }
    for (const [output, costStatus] of [
      [200_000, 'exact'],
      [200_001, 'estimated'],
    ] as const) {
      const { meter } = meterOver(19)
      meter.recordUsage(report({ input: 2_000_000, output }))
      expect(meter.computeCharge(unknown).costStatus).toBe(costStatus)
    }
  })

  it('with a cost of zero for tokens that cost something is charged by its tokens', () => {
    const { meter } = meterOver(19)
    meter.recordUsage(report({ input: 7, output: 3 }, { costUsd: 0 }))
    const charge = meter.computeCharge(charged)
    expect(charge).toMatchObject({ costStatus: 'estimated', costNano: 10_000 })
    expect(charge.price?.reportedByProvider).toBe(false)
  })

  it('never replaces a higher earlier count', () => {
    const { meter } = meterOver(19)
    meter.recordUsage(report({ input: 7, output: 3 }))
    meter.recordUsage(report({}))
    expect(meter.computeCharge(charged)).toMatchObject({ costStatus: 'exact', tokensIn: 7, tokensOut: 3 })
  })
})

describe('a report before the end of a complete stream', () => {
  const streamed = (output: number, text: string) => {
    const { meter } = meterOver(19)
    meter.recordUsage(report({ input: 90, output }))
    meter.recordChunk(piece(text))
    meter.recordChunk(piece('', 'stop'))
    return meter.computeCharge(charged)
  }

  it('does not hide what came after it', () => {
    expect(streamed(1, 'x'.repeat(800))).toMatchObject({
      costStatus: 'estimated',
      tokensIn: 90,
      tokensOut: 200,
    })
  })

  it('is exact if it fits what came with it', () => {
    expect(streamed(180, 'x'.repeat(800))).toMatchObject({ costStatus: 'exact', tokensOut: 180 })
    expect(streamed(200, 'x'.repeat(600))).toMatchObject({ costStatus: 'exact', tokensOut: 200 })
  })
})

describe('an interrupted answer', () => {
  it('is estimated, even if the prompt was reported at the start', () => {
    const { meter } = meterOver(19)
    meter.recordUsage(report({ input: 90, output: 1 }))
    expect(meter.computeCharge(charged, true)).toMatchObject({
      costStatus: 'estimated',
      tokensIn: 90,
      tokensOut: 1,
    })
    meter.recordChunk(piece('twelve bytes and twelve'))
    expect(meter.computeCharge(charged, true)).toMatchObject({ costStatus: 'estimated', tokensOut: 6 })
  })

  it('is exact if the provider had reported all of it', () => {
    const { meter } = meterOver(19)
    meter.recordChunk(piece('twelve bytes', 'stop'))
    meter.recordUsage(report({ input: 7, output: 3 }))
    expect(meter.computeCharge(charged, true)).toMatchObject({ costStatus: 'exact', tokensOut: 3 })
  })
})

it('is not exact where searches may still be reported, whose cost is known', () => {
  const { meter } = meterOver(19)
  meter.recordChunk(piece('twelve bytes', 'stop'))
  meter.recordUsage(report({ input: 7, output: 3 }))
  const price = createFlatPrice(
    { inputPerMillion: 1, outputPerMillion: 2, perThousandWebSearches: 10 },
    ORIGIN,
  )
  const searching: Priced = {
    offer: { ...charged.offer, price },
    bound: { ...charged.bound, units: { most: { webSearches: 3 }, likely: {} } },
  }
  const charge = meter.computeCharge(searching, true)
  expect(charge.costStatus).toBe('estimated')
  expect(meter.costOfUnreported(searching, { ...NO_USAGE, webSearches: 1 })).toBe(20_000_000)
  expect(meter.costOfUnreported(charged, charge.usage)).toBe(0)
})

test('each chunk of a stream counts as at least one token', () => {
  const { meter } = meterOver(19)
  for (const letter of 'abcdefgh') meter.recordChunk(piece(letter))
  expect(meter.producedTokens(charged)).toBe(8)
})

test('plain answers and streams are measured equally, including reasoning, refusals and names of calls', async () => {
  const message = {
    content: 'an answer',
    reasoning_content: 'a thought',
    refusal: 'no',
    tool_calls: [{ index: 0, id: 'c', function: { name: 'look', arguments: '{"a":1}' } }],
  }
  const plain = meterOver(19).meter
  plain.recordCompletion({
    id: 'c',
    object: 'chat.completion',
    created: 0,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }],
  })
  const streamed = meterOver(19).meter
  streamed.recordChunk({ ...piece(''), choices: [{ index: 0, delta: message, finish_reason: 'stop' }] })
  expect(plain.computeCharge(charged).tokensOut).toBe(8)
  expect(streamed.computeCharge(charged).tokensOut).toBe(8)
})

test('each of several calls is priced by its own prompt, and an estimate counts the prompt for each', () => {
  const price = createPriceByPrompt(
    [
      { above: 0, pricing: { inputPerMillion: 1, outputPerMillion: 1 } },
      { above: 100, pricing: { inputPerMillion: 2, outputPerMillion: 2 } },
    ],
    ORIGIN,
  )
  const tiered: Priced = {
    offer: { ...offer, price },
    bound: { calls: 3, prompt: 100, external: false, output: 10 },
  }
  const call = { ...NO_USAGE, input: 60, output: 5 }
  const { meter } = meterOver(19)
  meter.recordUsage(report({ input: 180, output: 15 }, { calls: [call, call, call] }))
  expect(meter.computeCharge(tiered)).toMatchObject({ tokensIn: 180, costNano: 195_000 })
  expect(meterOver(19).meter.computeCharge(tiered).tokensIn).toBe(75)
})

it('counts output that is not text: parts that are passed on unchanged', () => {
  const part = { type: 'reference', reference_ids: [1, 2] }
  const alone = producedBytes({ content: null, content_parts: [part] })
  expect(alone).toBeGreaterThan(0)
  expect(producedBytes({ content: 'abc', content_parts: [part] })).toBe(alone + 3)
  expect(producedBytes({ content: '' })).toBe(0)
})
