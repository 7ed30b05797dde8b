import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readData, startTestGateway, type TestGateway } from '../testing/gateway.ts'
import { startTestUpstream, type TestUpstream } from '../upstream/testing/test-upstream.ts'

let tollgate: TestGateway
beforeEach(async () => {
  tollgate = await startTestGateway()
})
afterEach(() => tollgate.close())

const nano = (usd: number) => Math.round(usd * 1e9)

function completion(content: string, usage?: object): object {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    ...(usage ? { usage } : {}),
  }
}

function chunk(content: string | null, finish: string | null = null): object {
  const delta = content === null ? {} : { content }
  return {
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finish }],
  }
}

describe('the charge for an upstream', () => {
  let upstream: TestUpstream
  afterEach(() => upstream.close())

  it('follows its own count, with cached tokens once and at their own price', async () => {
    const usage = {
      prompt_tokens: 1000,
      completion_tokens: 10,
      total_tokens: 1010,
      prompt_tokens_details: { cached_tokens: 800 },
    }
    upstream = await startTestUpstream((exchange) => exchange.reply(200, completion('x', usage)))
    await tollgate.addProvider('mine', upstream.url, [])
    const pricing = { inputPerMillion: 10, outputPerMillion: 20, cacheReadPerMillion: 1 }
    await tollgate.call('PUT', '/v1/models/cached', { body: { provider: 'mine', pricing } })
    const answer = await tollgate.chat({ model: 'cached' })
    expect(answer.json.usage.cost).toBe((200 * 10 + 800 * 1 + 10 * 20) / 1e6)
    expect(answer.headers.get('x-service-tokens-in')).toBe('1000')
  })

  it('is not zero for a call that timed out, even if the retry was rejected', async () => {
    let calls = 0
    upstream = await startTestUpstream((exchange) => {
      calls += 1
      if (calls > 1) exchange.reply(400, { error: { message: 'not like this' } })
    })
    await tollgate.addProvider('mine', upstream.url, ['slow'], { firstByteTimeoutMs: 40 })
    const key = await tollgate.createKey({ name: 'waits', scope: 'full', spendLimitUsd: 5 })
    const answer = await tollgate.chat({ model: 'slow' }, { as: key.secret })
    expect([answer.status, answer.json.error.message]).toEqual([400, 'not like this'])
    const [record] = await tollgate.records()
    expect(record).toMatchObject({ status: 'failed', costStatus: 'unsettled', costLowUsd: 0 })
    expect(record?.costUsd).toBeGreaterThan(0)
    expect(record?.costHighUsd).toBe(record?.reservedUsd)
    const { spendUsd, reservedUsd } = (await tollgate.call('GET', `/v1/keys/${key.id}`)).json
    expect([spendUsd, reservedUsd]).toEqual([record?.costUsd, record?.heldUsd])
    expect(nano(spendUsd) + nano(reservedUsd)).toBe(nano(record?.costHighUsd ?? 0))
  })

  it('uses the price of the provider that may have billed the call, not of the one that failed last', async () => {
    upstream = await startTestUpstream((exchange) => {
      const { model } = exchange.request.json()
      if (model === 'refusing') exchange.reply(401, { error: { message: 'who are you?' } })
      if (model === 'cheap' || model === 'expensive') exchange.begin({ 'content-type': 'application/json' })
    })
    const put = async (id: string, inputPerMillion: number, fallbacks: string[]) => {
      await tollgate.addProvider(`at-${id}`, upstream.url, [], { stallTimeoutMs: 30 })
      const pricing = { inputPerMillion, outputPerMillion: 2 }
      const body = { provider: `at-${id}`, pricing, maxOutputTokens: 100, fallbacks }
      await tollgate.call('PUT', `/v1/models/${id}`, { body })
    }
    await put('refusing', 1000, [])
    await put('cheap', 1, ['refusing'])
    await put('expensive', 7, ['cheap'])
    const answer = await tollgate.chat({ model: 'expensive' })
    expect([answer.status, answer.json.error.code]).toEqual([502, 'upstream_credential'])
    const [record] = await tollgate.records()
    expect(record).toMatchObject({ model: 'expensive', provider: 'at-expensive', costStatus: 'unsettled' })
    expect(record?.price?.pricing.inputPerMillion).toBe(7)
    expect(record?.attempts.map(({ provider }) => provider)).toEqual([
      ...['at-expensive', 'at-expensive', 'at-expensive', 'at-cheap', 'at-cheap', 'at-cheap'],
      'at-refusing',
    ])
    const likelyOutput = 100
    expect(nano(record?.costUsd ?? 0)).toBe((record?.tokensIn ?? 0) * 7_000 + likelyOutput * 2_000)
  })

  it('includes a time-out before a stream that failed without content', async () => {
    let calls = 0
    upstream = await startTestUpstream((exchange) => {
      calls += 1
      if (calls > 1) {
        const { model } = exchange.request.json()
        exchange
          .begin()
          .data({ ...chunk(null), model }, { error: { message: 'busy', code: 503 } })
          .end()
      }
    })
    await tollgate.addProvider('mine', upstream.url, ['mute'], { firstByteTimeoutMs: 40 })
    const answer = await tollgate.chat({ model: 'mute', stream: true })
    expect(readData(answer.text).at(-1)).toMatchObject({ error: { message: 'busy' } })
    const [record] = await tollgate.records()
    expect(record).toMatchObject({ status: 'failed', costStatus: 'unsettled' })
    expect(record?.costUsd).toBeGreaterThan(0)
  })

  it('covers what arrived of an interrupted stream, which ends with an error chunk and no [DONE]', async () => {
    upstream = await startTestUpstream((exchange) => {
      exchange.begin().data(chunk('half an answ')).end()
    })
    await tollgate.addProvider('mine', upstream.url, ['cut'])
    const answer = await tollgate.chat({ model: 'cut', stream: true })
    const events = readData(answer.text)
    expect(events).not.toContain('[DONE]')
    expect(events.at(-1)).toMatchObject({ error: { type: 'upstream_error' } })
    const [record] = await tollgate.records()
    expect(record).toMatchObject({ status: 'failed', costStatus: 'estimated', tokensOut: 3 })
  })
})
