import { describe, expect, it } from 'vitest'
import { readData, startTestGateway } from '../testing/gateway.ts'
import { forEachTest } from '../testing/lifetime.ts'
import { addPricedModel, billedCompletion } from '../testing/priced-model.ts'
import {
  billing,
  startTestUpstream,
  type TestExchange,
  testChunk,
} from '../upstream/testing/test-upstream.ts'
import { listEvents } from '../upstream/testing/vendor-formats.ts'

const tollgate = forEachTest(() => startTestGateway())
const upstream = forEachTest(() => startTestUpstream())

const serveModel = (model: Record<string, unknown> = {}) => addPricedModel(tollgate, upstream.url, { model })

describe('a stream under a cap', () => {
  const words = (count: number) => Array.from({ length: count }, () => testChunk({ content: 'word ' }))
  const stream = { model: 'm', stream: true }

  it('can exceed the forecast, and is charged by the provider’s count', async () => {
    upstream.handler = (exchange) => {
      const usage = { prompt_tokens: 10, completion_tokens: 5_000, total_tokens: 5_010 }
      exchange.begin().data(...words(5_000), testChunk({}, 'stop'))
      exchange.data({ ...testChunk({}), choices: [], usage }, '[DONE]').end()
    }
    await serveModel({ maxOutputTokens: 100_000 })
    const key = await tollgate.createKey({ name: 'ample', scope: 'full', spendLimitUsd: 1 })
    const { text } = await tollgate.chat(stream, { as: key.secret })
    expect(readData(text).at(-1)).toBe('[DONE]')
    expect(await tollgate.getKey(key.id)).toMatchObject({ spendUsd: 0.00501, reservedUsd: 0 })
  })

  it('is cut when the cap is used up: with an error chunk, a charge for what arrived, and 402 for the next request', async () => {
    let sending: TestExchange | undefined
    upstream.handler = (exchange) => {
      sending = exchange
      exchange.begin().data(...words(20_000))
    }
    await serveModel({ maxOutputTokens: 100_000 })
    const key = await tollgate.createKey({ name: 'tight', scope: 'full', spendLimitUsd: 0.003 })
    const { status, text } = await tollgate.chat(stream, { as: key.secret })
    expect(status).toBe(200)
    const events = readData(text)
    expect(events).not.toContain('[DONE]')
    expect(events.at(-1)).toMatchObject({
      error: { type: 'insufficient_quota', code: 'spend_limit_reached' },
    })
    await sending?.disconnected
    const { spendUsd, reservedUsd } = await tollgate.getKey(key.id)
    expect(reservedUsd).toBe(0)
    expect(spendUsd).toBeGreaterThanOrEqual(0.003)
    // Some of the rest has come before the connection is closed.
    expect(spendUsd).toBeLessThan(0.004)
    const [record] = await tollgate.records()
    expect(record).toMatchObject({ status: 'failed', costStatus: 'estimated' })
    expect((await tollgate.chat(stream, { as: key.secret })).status).toBe(402)
  })

  it('goes on next to a plain call whose worst case is more than is left', async () => {
    let finish: (() => void) | undefined
    upstream.handler = (exchange) => {
      if (exchange.request.json().stream) {
        exchange
          .begin()
          .data(...words(3_000), testChunk({}, 'stop'), '[DONE]')
          .end()
      } else finish = () => exchange.reply(200, billedCompletion(10, 10))
    }
    await serveModel({ maxOutputTokens: 8_000 })
    const key = await tollgate.createKey({ name: 'shared', scope: 'full', spendLimitUsd: 0.01 })
    const plain = tollgate.chat({ model: 'm' }, { as: key.secret })
    await expect.poll(() => finish).toBeDefined()
    expect(readData((await tollgate.chat(stream, { as: key.secret })).text).at(-1)).toBe('[DONE]')
    finish?.()
    expect((await plain).status).toBe(200)
  })

  it('is ended for an older one when both do not fit, and what it has used stays booked', async () => {
    const running: TestExchange[] = []
    upstream.handler = (exchange) => void running.push(exchange.begin().data(...words(1_000)))
    await serveModel({ maxOutputTokens: 8_000 })
    const key = await tollgate.createKey({ name: 'shared', scope: 'full', spendLimitUsd: 0.01 })
    const reserved = async (): Promise<number> => (await tollgate.getKey(key.id)).reservedUsd
    const first = tollgate.chat(stream, { as: key.secret })
    await expect.poll(() => running.length).toBe(1)
    const second = tollgate.chat(stream, { as: key.secret })
    await expect.poll(() => running.length).toBe(2)
    running[1]?.data(...words(2_000))
    await expect.poll(reserved).toBeGreaterThan(0.006)
    running[0]?.data(...words(3_700))
    expect(readData((await second).text).at(-1)).toMatchObject({ error: { code: 'spend_limit_reached' } })
    await running[1]?.disconnected
    running[0]?.data(testChunk({}, 'stop'), '[DONE]').end()
    expect(readData((await first).text).at(-1)).toBe('[DONE]')
    const { spendUsd, reservedUsd } = await tollgate.getKey(key.id)
    expect(spendUsd).toBeGreaterThanOrEqual(0.0095)
    expect(spendUsd).toBeLessThan(0.0101)
    expect(reservedUsd).toBe(0)
  })

  it('allows many concurrent requests that could each write much more than they do', async () => {
    const running: TestExchange[] = []
    upstream.handler = (exchange) =>
      void running.push(exchange.begin().data(testChunk({ role: 'assistant', content: 'Hi' })))
    await serveModel({ maxOutputTokens: 128_000, pricing: { inputPerMillion: 3, outputPerMillion: 20 } })
    const key = await tollgate.createKey({ name: 'agents', scope: 'full', spendLimitUsd: 5 })
    const streams = Array.from({ length: 10 }, () => tollgate.chat(stream, { as: key.secret }))
    await expect.poll(() => running.length).toBe(10)
    const { reservedUsd } = await tollgate.getKey(key.id)
    expect(reservedUsd).toBeLessThan(0.5)
    for (const exchange of running) exchange.data(testChunk({}, 'stop'), '[DONE]').end()
    for (const { status } of await Promise.all(streams)) expect(status).toBe(200)
  })

  it('reserves no more for the prompt than the provider has counted', async () => {
    let exchange: TestExchange | undefined
    upstream.handler = (each) => {
      exchange = each
      const usage = { input_tokens: 1_000, output_tokens: 1 }
      each.begin().events(...listEvents('anthropic-messages', { texts: ['Hi'], usage }).slice(0, 3))
    }
    const provider = { apiFormat: 'anthropic-messages' }
    await addPricedModel(tollgate, upstream.url, { provider, model: { maxOutputTokens: 8_000 } })
    const key = await tollgate.createKey({ name: 'cached', scope: 'full', spendLimitUsd: 5 })
    const messages = [{ role: 'user', content: 'x'.repeat(400_000) }]
    const response = tollgate.chat({ ...stream, messages }, { as: key.secret })
    await expect.poll(async () => (await tollgate.getKey(key.id)).reservedUsd).toBeGreaterThan(0.001)
    await expect.poll(async () => (await tollgate.getKey(key.id)).reservedUsd).toBeLessThan(0.004)
    exchange?.reset()
    await response
  })
})

it('many streams that reason without showing it pass a cap by one of them', async () => {
  const reasoningTokens = 20_000
  const usdPerToken = 25 / 1_000_000
  let calls = 0
  upstream.handler = (exchange) => {
    calls += 1
    return billing(10, reasoningTokens)(exchange)
  }
  await addPricedModel(tollgate, upstream.url, {
    model: {
      maxOutputTokens: 100_000,
      capabilities: ['tools', 'reasoning'],
      pricing: { inputPerMillion: 1, outputPerMillion: 25 },
    },
  })
  const key = await tollgate.createKey({ name: 'agents', scope: 'full', spendLimitUsd: 1 })
  const body = { model: 'm', stream: true, reasoning_effort: 'high' }
  await Promise.all(Array.from({ length: 40 }, () => tollgate.chat(body, { as: key.secret })))
  const each = reasoningTokens * usdPerToken
  expect(calls * each).toBeLessThanOrEqual(1 + each)
})

it('the likely reasoning of a stream that its client leaves stays reserved, unless it was shown', async () => {
  let show = false
  upstream.handler = (exchange) => {
    exchange
      .begin()
      .data(...(show ? [testChunk({ reasoning_content: 'Well.' })] : []), testChunk({ content: 'Yes' }))
  }
  const pricing = { inputPerMillion: 1, outputPerMillion: 10 }
  const capabilities = ['tools', 'reasoning']
  await addPricedModel(tollgate, upstream.url, { model: { maxOutputTokens: 100_000, capabilities, pricing } })
  /** The amount that stays reserved for a key whose client leaves in the middle of the answer. */
  const leave = async () => {
    const key = await tollgate.createKey({ name: 'agents', scope: 'full', spendLimitUsd: 1 })
    const left = new AbortController()
    const { body } = await tollgate.openStream({ model: 'm' }, { as: key.secret, signal: left.signal })
    await body?.getReader().read()
    left.abort()
    await expect.poll(async () => (await tollgate.records())[0]?.status).toBe('canceled')
    return (await tollgate.getKey(key.id)).reservedUsd
  }
  // 8,000 tokens at 10 USD per million are likely.
  expect(await leave()).toBeCloseTo(0.08, 3)
  show = true
  expect(await leave()).toBe(0)
})

it('a restart keeps the length of answers, by which streams reserve', async () => {
  let reserved = 0
  upstream.handler = async (exchange) => {
    reserved = Number((await tollgate.getKey(key.id)).reservedUsd)
    await billing(10, 9_000)(exchange)
  }
  await addPricedModel(tollgate, upstream.url, { model: { maxOutputTokens: 100_000 } })
  const key = await tollgate.createKey({ name: 'agent', scope: 'full', spendLimitUsd: 1 })
  await tollgate.chat({ model: 'm', stream: true }, { as: key.secret })
  expect(reserved).toBeLessThan(0.002)
  await tollgate.restart()
  await tollgate.chat({ model: 'm', stream: true }, { as: key.secret })
  expect(reserved).toBeGreaterThan(0.009)
})
