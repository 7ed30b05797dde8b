// Many streams come to a cap while something else runs under it, in real time.
import { describe, test } from 'vitest'
import { answers, Bill, computeOutputUsd, type Pace, PRICING, streams } from './testing/billing-vendor.ts'
import { startProgram } from './testing/program.ts'
import { type ModelHandler, startForFile, startScriptedUpstream } from './testing/upstream.ts'

const { tollgate, upstream } = await startForFile({ rateLimits: false })
await tollgate.addProvider('claude', upstream.url, [], { apiFormat: 'anthropic-messages' })

const MODEL = { pricing: PRICING, maxOutputTokens: 100_000 }
const TIMEOUT_MS = 180_000
const SENT = { timeout: 60_000 }
const SLOW_MS = 14_000

const createKey = (spendLimitUsd: number) =>
  tollgate.createKey({ name: 'attacked', scope: 'full', guard: 'off', spendLimitUsd })

const STREAMS = 38
const CAP_USD = 1
const MOST_BOOKED_USD = 1.05
const FAST: Pace = { tokensPerEvent: 40, everyMs: 200, forMs: 40_000 }
const ONE_BATCH_EACH_USD = computeOutputUsd(STREAMS * FAST.tokensPerEvent)
const SLOW: Pace = { tokensPerEvent: 1, everyMs: 1_000, forMs: SLOW_MS }

interface Variant {
  id: string
  /** The other requests under the cap. */
  other: (bill: Bill) => ModelHandler
  count?: number
  body: object
  stream?: (bill: Bill) => ModelHandler
  provider?: string
}

// One after the other: a vendor that is late to see that its streams have ended bills more.
describe(`${STREAMS} streams under a cap of $${CAP_USD} end when it is used up`, () => {
  test.for<Variant>([
    { id: 'a slow stream', other: (bill) => streams(bill, SLOW), body: { stream: true } },
    {
      id: 'a slow plain call',
      other: (bill) => answers(bill, { output: 1_000 }, { afterMs: SLOW_MS }),
      body: { max_tokens: 1_000 },
    },
    {
      id: 'ten slow plain calls',
      other: (bill) => answers(bill, { output: 1_000 }, { afterMs: SLOW_MS }),
      count: 10,
      body: { max_tokens: 1_000 },
    },
    {
      id: "a slow stream, in Anthropic's format",
      other: (bill) => streams(bill, SLOW, 'messages'),
      body: { stream: true },
      stream: (bill) => streams(bill, FAST, 'messages'),
      provider: 'claude',
    },
  ])(
    'next to $id',
    { timeout: TIMEOUT_MS },
    async (
      { id, other, count = 1, body, stream = (bill) => streams(bill, FAST), provider = 'acme' },
      { expect },
    ) => {
      const bill = new Bill()
      const [slow, fast] = [`${id}: slow`, `${id}: fast`]
      await upstream.model(slow, other(bill), { ...MODEL, provider })
      await upstream.model(fast, stream(bill), { ...MODEL, provider })
      const key = await createKey(CAP_USD)
      const as = key.secret
      const others = Array.from({ length: count }, () => tollgate.chat({ model: slow, ...body }, { as }))
      await expect.poll(() => upstream.calls(slow), SENT).toHaveLength(count)
      await Promise.all([
        ...others,
        ...Array.from({ length: STREAMS }, () => tollgate.chat({ model: fast, stream: true }, { as })),
      ])
      await expect.poll(async () => (await tollgate.getKey(key.id)).spendUsd).toBeGreaterThan(0.9 * CAP_USD)
      expect((await tollgate.getKey(key.id)).spendUsd).toBeLessThan(MOST_BOOKED_USD)
      expect(bill.usd).toBeLessThan(MOST_BOOKED_USD + ONE_BATCH_EACH_USD)
    },
  )
})

test.concurrent(
  'A stream of another format that floods takes no more than running plain calls leave of the cap',
  async ({ expect }) => {
    const bill = new Bill()
    const flood: Pace = { tokensPerEvent: 500, everyMs: 100, forMs: SLOW_MS }
    await upstream.model('flood', streams(bill, flood, 'messages'), { ...MODEL, provider: 'claude' })
    const key = await createKey(CAP_USD)
    const as = key.secret
    const call = async (tokens: number) => {
      const model = `plain, ${tokens}`
      await upstream.model(model, answers(bill, { output: tokens }, { afterMs: SLOW_MS }), MODEL)
      const answer = tollgate.chat({ model, max_tokens: tokens }, { as })
      await expect.poll(() => upstream.calls(model), SENT).toHaveLength(1)
      return { answer }
    }
    const largest = await call(20_000)
    const other = await call(16_000)
    await tollgate.chat({ model: 'flood', stream: true }, { as })
    await Promise.all([largest.answer, other.answer])
    // The largest plain call is the one request by which the cap may be exceeded.
    // The vendor writes for up to a second until it learns on a busy machine that its stream has ended.
    const late = computeOutputUsd(10 * flood.tokensPerEvent)
    expect(bill.usd).toBeLessThan(CAP_USD + computeOutputUsd(20_000) + late)
  },
  TIMEOUT_MS,
)

test.concurrent('The first streams after a start are metered from their first tokens', async ({ expect }) => {
  const fresh = await startProgram()
  const vendor = await startScriptedUpstream(fresh)
  const bill = new Bill()
  const pace: Pace = { tokensPerEvent: 50, everyMs: 25, forMs: 1_000 }
  await vendor.model('quick', streams(bill, pace), MODEL)
  const { secret } = await fresh.createKey({ name: 'first', scope: 'full', spendLimitUsd: 0.1 })
  await Promise.all(
    Array.from({ length: 4 }, () => fresh.chat({ model: 'quick', stream: true }, { as: secret })),
  )
  // Until the tokenizer has started, an estimate counts, which is higher.
  expect(bill.usd).toBeGreaterThan(0.05)
  expect(bill.usd).toBeLessThan(0.13)
  await fresh.close()
  await vendor.close()
})
