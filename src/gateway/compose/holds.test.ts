// Amounts that a provider may bill for calls without an answer count against the limits until they are settled.

import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { Forecast } from '../request/forecast.ts'
import { startTestGateway } from '../testing/gateway.ts'
import { forEachTest } from '../testing/lifetime.ts'
import { nano } from '../testing/money.ts'
import { addPricedModel, billedCompletion } from '../testing/priced-model.ts'
import { SkippableClock } from '../testing/short-waits.ts'
import { startTestUpstream, type TestHandler } from '../upstream/testing/test-upstream.ts'

const HOUR_MS = 3_600_000
/** USD; what the provider bills for each call that it has received: 20,000 tokens at 25 USD per million, and a little. */
const BILL = 0.5
const MAX_TOKENS = 20_000
/** How often holds are looked at. */
const CHECK_MS = 60_000

let wall = 0
const clock = new SkippableClock(() => wall)

/** Works on without an answer. */
const neverAnswers: TestHandler = () => undefined

beforeEach(() => {
  wall = Date.parse('2027-03-10T12:00:00Z')
})
const tollgate = forEachTest(() => startTestGateway({ clock }))
const upstream = forEachTest(() => startTestUpstream(neverAnswers))
beforeEach(async () => {
  const pricing = { inputPerMillion: 1, outputPerMillion: 25 }
  await addPricedModel(tollgate, upstream.url, { model: { pricing, maxOutputTokens: 64_000 } })
})

const request = { model: 'm', max_tokens: MAX_TOKENS }
const createKey = (fields: object) => tollgate.createKey({ name: 'leaves', scope: 'full', ...fields })

/** Makes a call that the client leaves once the provider has it. Returns the status of a call that was refused instead. */
async function leave(secret: string, body: object = request): Promise<number | null> {
  const client = new AbortController()
  const before = (await tollgate.records()).length
  const received = new Promise<null>((resolve) => {
    upstream.handler = () => resolve(null)
  })
  const answer = tollgate.chat({ ...body }, { as: secret, signal: client.signal }).then(
    ({ status }) => status,
    () => null,
  )
  const first = await Promise.race([received, answer])
  client.abort()
  await answer
  // The row of a call that was received may be written after its client has left.
  const least = first === null ? before + 1 : before
  await expect
    .poll(async () => {
      const records = await tollgate.records()
      return records.length >= least && records.every(({ status }) => status !== 'running')
    })
    .toBe(true)
  return first
}

it('a fault after a request was settled ends no hold', async () => {
  const { id, secret } = await createKey({ spendLimitUsd: 5 })
  upstream.handler = (exchange) => {
    if (upstream.requests.length === 1) exchange.reset()
    else exchange.reply(200, billedCompletion(10, 10))
  }
  const fault = vi.spyOn(Forecast.prototype, 'observe').mockImplementationOnce(() => {
    throw new Error('a fault')
  })
  onTestFinished(() => fault.mockRestore())
  await tollgate.chat(request, { as: secret })
  await expect.poll(() => fault.mock.calls.length).toBe(1)
  const [record] = await tollgate.records()
  expect(record?.heldUsd).toBeGreaterThanOrEqual(BILL)
  expect((await tollgate.getKey(id)).reservedUsd).toBe(record?.heldUsd)
})

it('an attempt without an answer is held whole next to one that reported what it bills', async () => {
  const { secret } = await createKey({ spendLimitUsd: 5 })
  upstream.handler = (exchange) => {
    if (upstream.requests.length === 1) exchange.reset()
    else exchange.reply(200, { ...billedCompletion(10, MAX_TOKENS), choices: [] })
  }
  expect((await tollgate.chat(request, { as: secret })).status).toBe(502)
  const [record] = await tollgate.records()
  expect(record).toMatchObject({ costStatus: 'exact', costUsd: 0.50001 })
  expect(record?.heldUsd).toBeGreaterThanOrEqual(BILL)
})

describe('a stream that ends without an answer', () => {
  const stream = { model: 'm', stream: true, max_tokens: 100 }
  const endsWithoutAnswer: TestHandler = (exchange) => void exchange.begin().data('[DONE]').end()

  it('holds what searches may have added to its prompt', async () => {
    const provider = { apiFormat: 'openai-responses' }
    const pricing = { inputPerMillion: 1, outputPerMillion: 25, perThousandWebSearches: 10 }
    await addPricedModel(tollgate, upstream.url, { provider, model: { pricing, contextWindow: 100_000 } })
    upstream.handler = endsWithoutAnswer
    const { id, secret } = await createKey({ spendLimitUsd: 5 })
    const body = { ...stream, max_tokens: undefined, input: 'Hi', max_output_tokens: 100 }
    const ask = (more: object) =>
      tollgate.call('POST', '/v1/responses', { as: secret, body: { ...body, ...more } })
    await ask({})
    const without = (await tollgate.getKey(id)).reservedUsd
    expect(without).toBeLessThan(0.01)
    await ask({ tools: [{ type: 'web_search' }], max_tool_calls: 1 })
    // For each of the attempts, the context window at a dollar per million tokens, and a search at a cent.
    const calls = upstream.requests.length / 2
    expect((await tollgate.getKey(id)).reservedUsd - without).toBeGreaterThan(calls * 0.11 - 0.001)
  })
})

describe('a plain call that its client leaves before the answer', () => {
  it('is charged its prompt and the likely output, and holds the rest of its bound', async () => {
    const { id, secret } = await createKey({ spendLimitUsd: 1 })
    await leave(secret)
    const [record] = await tollgate.records()
    expect(record).toMatchObject({ status: 'canceled', costStatus: 'unsettled' })
    expect(record?.costUsd).toBeGreaterThan((1_000 * 25) / 1e6)
    expect(record?.costUsd).toBeLessThan((1_100 * 25) / 1e6)
    expect(record?.costHighUsd).toBeGreaterThan(BILL)
    expect(nano((record?.costUsd ?? 0) + (record?.heldUsd ?? 0))).toBe(nano(record?.costHighUsd ?? 0))
    expect(record?.heldUntil).toBe(new Date(wall + HOUR_MS).toISOString())
    const key = await tollgate.getKey(id)
    expect([key.spendUsd, key.reservedUsd]).toEqual([record?.costUsd, record?.heldUsd])
    expect((await tollgate.getAccount()).reservedUsd).toBe(record?.heldUsd)
  })

  it.each<[string, object]>([
    ['the cap', { spendLimitUsd: 1 }],
    ['a limit for the day', { spendLimits: [{ usd: 1, per: 'day' }] }],
    ['a rolling limit', { spendLimits: [{ usd: 1, per: 'week', window: 'rolling' }] }],
    ['a limit per session', { spendLimits: [{ usd: 1, per: 'session' }] }],
    ['a limit for the model', { spendLimits: [{ usd: 1, per: 'month', model: 'm' }] }],
  ])('30 of them pass %s by at most one of them, as their provider bills them', async (_, limits) => {
    const { secret } = await createKey(limits)
    const refused: (number | null)[] = []
    for (let n = 0; n < 30; n += 1) refused.push(await leave(secret))
    expect(upstream.requests.length * BILL).toBeLessThanOrEqual(1 + BILL)
    expect(new Set(refused.slice(upstream.requests.length))).toEqual(new Set([429]))
    const answer = await tollgate.chat(request, { as: secret })
    expect(answer.json.error).toMatchObject({ type: 'rate_limit_exceeded', code: 'spend_held' })
    expect(answer.headers.get('x-should-retry')).toBe('false')
  })

  it('holds after a restart, and until an hour has passed', async () => {
    const { id, secret } = await createKey({ spendLimitUsd: 0.4 })
    await leave(secret)
    const { reservedUsd } = await tollgate.getKey(id)
    expect(reservedUsd).toBeGreaterThan(0.4)
    await tollgate.restart()
    expect((await tollgate.getKey(id)).reservedUsd).toBe(reservedUsd)
    expect((await tollgate.records())[0]?.heldUsd).toBe(reservedUsd)
    expect((await tollgate.chat(request, { as: secret })).status).toBe(429)
    wall += HOUR_MS
    await tollgate.restart()
    expect((await tollgate.getKey(id)).reservedUsd).toBe(0)
    expect((await tollgate.records())[0]).toMatchObject({ heldUsd: null, heldUntil: null })
    upstream.handler = (exchange) => exchange.reply(200, billedCompletion(10, 10))
    expect((await tollgate.chat(request, { as: secret })).status).toBe(200)
  })

  it('holds for an hour that has passed, not for one by which the clock was set ahead', async () => {
    const { id, secret } = await createKey({ spendLimitUsd: 1 })
    await leave(secret)
    const { reservedUsd } = await tollgate.getKey(id)
    wall += 25 * HOUR_MS
    clock.skip(CHECK_MS)
    expect((await tollgate.getKey(id)).reservedUsd).toBe(reservedUsd)
    clock.skip(HOUR_MS)
    expect((await tollgate.getKey(id)).reservedUsd).toBe(0)
  })

  it('is listed by the filter "held" until it is released', async () => {
    const { id, secret } = await createKey({ spendLimitUsd: 5 })
    upstream.handler = (exchange) => exchange.reply(200, billedCompletion(10, 10))
    await tollgate.chat(request, { as: secret })
    await leave(secret)
    const list = async (query: string) =>
      (await tollgate.call('GET', `/v1/requests?held=true${query}`)).json.data
    const listWithTotals = async (query: string) => {
      const data = await list(query)
      const totals = (await tollgate.call('GET', `/v1/requests/totals?held=true${query}`)).json
      expect(totals.requests).toBe(data.length)
      return data
    }
    const [record] = await listWithTotals('')
    expect(record.heldUsd).toBeGreaterThan(0)
    for (const query of [`&key=${id}`, '&minCostUsd=0', '&status=canceled', '&q=POST'])
      expect([query, await listWithTotals(query)]).toEqual([query, [record]])
    expect(await list('&sort=cost')).toEqual([record])
    expect(await list('&key=key_other')).toEqual([])
    expect((await tollgate.call('GET', '/v1/requests?held=perhaps')).json.error.param).toBe('held')
    await tollgate.call('POST', `/v1/requests/${record.id}/release`)
    expect(await list('')).toEqual([])
  })

  it('holds nothing where no limit could count it', async () => {
    const { id, secret } = await createKey({})
    await leave(secret)
    expect((await tollgate.records())[0]).toMatchObject({ costStatus: 'unsettled', heldUsd: null })
    expect((await tollgate.getKey(id)).reservedUsd).toBe(0)
  })
})

describe('a report that cannot be true', () => {
  const serve = async (prompt: number, completion: number) => {
    const pricing = { inputPerMillion: 1, outputPerMillion: 10 }
    const model = { pricing, contextWindow: 100_000, maxOutputTokens: 10_000 }
    await addPricedModel(tollgate, upstream.url, { model })
    upstream.handler = (exchange) => exchange.reply(200, billedCompletion(prompt, completion))
  }
  const body = { model: 'm', max_tokens: 10 }

  it.each([
    ['a standard limit', {}, 1],
    ['a strict one', { strict: true }, 24],
  ])(
    'is charged at the bound, and held under %s up to the price of a full window and output',
    async (_, more, hours) => {
      await serve(900_000, 10)
      const { id, secret } = await createKey({ spendLimitUsd: 0.3, ...more })
      expect((await tollgate.chat(body, { as: secret })).status).toBe(200)
      const [record] = await tollgate.records()
      expect(record).toMatchObject({ costStatus: 'estimated', costHighUsd: 0.9001 })
      expect(record?.costUsd).toBeLessThan(0.001)
      // 100,000 tokens at a dollar per million, and 10,000 at ten.
      expect((record?.costUsd ?? 0) + (record?.heldUsd ?? 0)).toBeCloseTo(0.2, 9)
      expect(record?.heldUntil).toBe(new Date(wall + hours * HOUR_MS).toISOString())
      expect((await tollgate.getKey(id)).reservedUsd).toBe(record?.heldUsd)
      const activity = (await tollgate.call('GET', '/v1/activity?kind=report-doubted')).json.data
      expect(activity).toMatchObject([
        { subject: { kind: 'provider', id: 'mine' }, reason: record?.id, limitUsd: 0.9001 },
      ])
      await tollgate.chat(body, { as: secret })
      expect((await tollgate.call('GET', '/v1/activity?kind=report-doubted')).json.data).toHaveLength(1)
    },
  )

  it('is none where it fits into the model: it is charged in full, whatever was reserved', async () => {
    await serve(90_000, 9_000)
    const { id, secret } = await createKey({ spendLimitUsd: 1 })
    await tollgate.chat(body, { as: secret })
    expect((await tollgate.records())[0]).toMatchObject({ costStatus: 'exact', costUsd: 0.18, heldUsd: null })
    expect(await tollgate.getKey(id)).toMatchObject({ spendUsd: 0.18, reservedUsd: 0 })
  })
})

describe('a call that times out after it was sent', () => {
  const LIMIT_MS = 60_000
  const timesOut = () => clock.skip(LIMIT_MS)

  beforeEach(async () => {
    upstream.handler = timesOut
    await addPricedModel(tollgate, upstream.url, {
      provider: { firstByteTimeoutMs: LIMIT_MS },
      model: { pricing: { inputPerMillion: 1, outputPerMillion: 25 }, maxOutputTokens: 64_000 },
    })
  })

  it('is sent again only as long as all its attempts fit, and holds what they may cost together', async () => {
    const { id, secret } = await createKey({ spendLimitUsd: 1.2 })
    expect((await tollgate.chat(request, { as: secret })).status).toBe(408)
    const [record] = await tollgate.records()
    expect(record?.attempts).toHaveLength(3)
    expect(record?.costHighUsd).toBeGreaterThan(3 * BILL)
    expect((await tollgate.getKey(id)).reservedUsd).toBe(record?.heldUsd)
    expect((await tollgate.chat(request, { as: secret })).status).toBe(429)
    expect(upstream.requests.length * BILL).toBeLessThanOrEqual(1.2 + BILL)
    const other = await createKey({ spendLimitUsd: 0.4 })
    upstream.requests.length = 0
    expect((await tollgate.chat(request, { as: other.secret })).status).toBe(408)
    expect(upstream.requests).toHaveLength(1)
  })

  it('holds what the attempts before its answer may cost', async () => {
    const { secret } = await createKey({ spendLimitUsd: 5 })
    let calls = 0
    upstream.handler = (exchange) => {
      calls += 1
      if (calls > 1) exchange.reply(200, billedCompletion(10, 10))
      else timesOut()
    }
    expect((await tollgate.chat(request, { as: secret })).status).toBe(200)
    const [record] = await tollgate.records()
    expect(record).toMatchObject({ costStatus: 'exact', costUsd: (10 + 250) / 1e6 })
    expect(record?.heldUsd).toBeGreaterThan(BILL)
  })
})
