import { expect, test } from 'vitest'
import type { Plan } from '../../shared/account.ts'
import { nanoUsd } from '../../shared/money.ts'
import type { Offer } from '../catalog/offers.ts'
import { flatPrice } from '../catalog/prices.ts'
import { NO_USAGE } from '../cost.ts'
import { Meter } from './meter.ts'

const plan: Plan = {
  id: 'pay-as-you-go',
  name: 'Pay as you go',
  monthlyUsd: 0,
  discountPercent: 0,
  requestsPerMinute: 1,
  tokensPerMinute: 1,
}
const offer: Offer = {
  id: 'm',
  providerId: 'p',
  upstreamModel: 'm',
  name: 'm',
  created: 0,
  contextWindow: null,
  maxOutputTokens: null,
  capabilities: [],
  capabilitiesKnown: false,
  price: flatPrice(
    { inputPerMillion: 1, outputPerMillion: 1 },
    { source: 'user', match: 'exact', asOf: null },
  ),
}

function meterOver(tokens: number): { meter: Meter; counted: () => number } {
  let counted = 0
  const count = async () => {
    counted += 1
    return tokens
  }
  return { meter: new Meter({ atMost: 100, about: 25 }, plan, count), counted: () => counted }
}

test('a prompt is counted for an answer that reports nothing, and charged at no more than its bound', async () => {
  for (const [tokens, charged] of [
    [19, 19],
    [500, 100],
  ] as const) {
    const { meter } = meterOver(tokens)
    await meter.prepare()
    expect(meter.consumed(offer)).toMatchObject({ tokensIn: charged, costStatus: 'estimated' })
  }
})

test("a family whose tokenizer makes more tokens is estimated at more, and still within the prompt's bound", async () => {
  const claude = { ...offer, upstreamModel: 'claude-sonnet-5' }
  for (const [tokens, charged] of [
    [20, 24],
    [90, 100],
  ] as const) {
    const { meter } = meterOver(tokens)
    await meter.prepare()
    expect(meter.consumed(claude).tokensIn).toBe(charged)
  }
})

test('it is not counted when the provider reports', async () => {
  const { meter, counted } = meterOver(19)
  meter.reported({
    buckets: { ...NO_USAGE, input: 7, output: 3 },
    costUsd: null,
    asChatUsage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
  })
  await meter.prepare()
  expect(counted()).toBe(0)
  expect(meter.consumed(offer)).toMatchObject({ tokensIn: 7, costStatus: 'exact' })
})

test('it is counted for an outcome that is not known, within the same bounds', async () => {
  const { meter } = meterOver(19)
  await meter.prepare()
  expect(meter.unsettled(offer, nanoUsd(100_000))).toMatchObject({
    tokensIn: 19,
    costNano: 19_000,
    costStatus: 'unsettled',
    costLowNano: 0,
    costHighNano: 100_000,
  })
})

test('an outcome that is not known costs nothing where the model costs nothing', async () => {
  const { meter } = meterOver(19)
  await meter.prepare()
  const origin = { source: 'local', match: 'exact', asOf: null } as const
  const local = { ...offer, price: flatPrice({ inputPerMillion: 0, outputPerMillion: 0 }, origin) }
  expect(meter.unsettled(local, nanoUsd(100_000))).toMatchObject({
    costNano: 0,
    costStatus: 'free',
    costHighNano: null,
  })
})
