// What a user's money depends on, seen from outside: over sockets, against the sandbox and an upstream of our own.
import { request as httpRequest } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { dataOf, startTestGateway, type TestGateway } from './testing/gateway.ts'
import { startTestUpstream, type TestUpstream } from './upstream/testing/test-upstream.ts'

let tollgate: TestGateway
beforeEach(async () => {
  tollgate = await startTestGateway()
})
afterEach(() => tollgate.close())

const nano = (usd: number) => Math.round(usd * 1e9)
const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0)

/** A raw call, for what fetch hides: trailers. */
function streamWithTrailers(
  body: object,
): Promise<{ text: string; trailers: NodeJS.Dict<string>; declared: string | undefined }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${tollgate.admin}`, 'content-type': 'application/json' }
    const request = httpRequest(
      `${tollgate.baseUrl}/v1/chat/completions`,
      { method: 'POST', headers },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk
        })
        response.on('end', () =>
          resolve({ text, trailers: response.trailers, declared: response.headers.trailer }),
        )
      },
    )
    request.on('error', reject)
    request.end(JSON.stringify(body))
  })
}

describe('the cost of a request', () => {
  it('is in the four headers of a plain answer and in its usage', async () => {
    const answer = await tollgate.chat({})
    expect(answer.status).toBe(200)
    const { usage } = answer.json
    expect(answer.headers.get('x-service-tokens-in')).toBe(String(usage.prompt_tokens))
    expect(answer.headers.get('x-service-tokens-out')).toBe(String(usage.completion_tokens))
    expect(answer.headers.get('x-service-model')).toBe('sandbox-small')
    const exact = (usage.prompt_tokens * 0.5 + usage.completion_tokens * 1.5) / 1e6
    expect(usage.cost).toBeCloseTo(exact, 12)
    expect(answer.headers.get('x-service-cost-usd')).toBe((Math.round(exact * 1e6) / 1e6).toFixed(6))
  })

  it('comes as declared trailers of a stream, and in the usage chunk when that is asked for', async () => {
    const body = { model: 'sandbox-small', stream: true, messages: [{ role: 'user', content: 'Hello' }] }
    const plain = await tollgate.chat({})
    const streamed = await streamWithTrailers({ ...body, stream_options: { include_usage: true } })
    expect(streamed.declared).toContain('X-Service-Cost-Usd')
    expect(streamed.trailers['x-service-cost-usd']).toBe(plain.headers.get('x-service-cost-usd'))
    const events = dataOf(streamed.text)
    expect(events.at(-1)).toBe('[DONE]')
    expect(events.at(-2)).toMatchObject({ choices: [], usage: plain.json.usage })
    const without = await streamWithTrailers(body)
    expect(dataOf(without.text).filter((event) => event.usage)).toEqual([])
    expect(without.trailers['x-service-tokens-out']).toBe(String(plain.json.usage.completion_tokens))
  })

  it('agrees between headers, key, usage, account and records after a mix of plain and streamed calls', async () => {
    const key = await tollgate.createKey({ name: 'mix', scope: 'full' })
    const shown: number[] = []
    for (let round = 0; round < 6; round++) {
      const content = `Round ${round}: tell me something [[sandbox:tokens ${10 + round}]]`
      const request = {
        messages: [{ role: 'user', content }],
        model: round % 3 === 0 ? 'sandbox-large' : 'sandbox-small',
      }
      const plain = await tollgate.chat(request, { as: key.secret })
      shown.push(Number(plain.headers.get('x-service-cost-usd')))
      const streamed = await tollgate.chat(
        { ...request, stream: true, stream_options: { include_usage: true } },
        { as: key.secret },
      )
      shown.push(dataOf(streamed.text).at(-2).usage.cost)
    }
    const { spendUsd } = (await tollgate.call('GET', `/v1/keys/${key.id}`)).json
    const records = await tollgate.records()
    expect(records).toHaveLength(12)
    expect(sum(records.map((record) => nano(record.costUsd ?? 0)))).toBe(nano(spendUsd))
    for (const groupBy of ['day', 'key', 'model', 'provider']) {
      const usage = (await tollgate.call('GET', `/v1/usage?groupBy=${groupBy}`)).json
      expect(nano(usage.total.costUsd)).toBe(nano(spendUsd))
      expect(usage.total.requests).toBe(12)
    }
    const account = (await tollgate.call('GET', '/v1/account')).json
    expect([account.spendUsd, account.monthSpendUsd, account.todaySpendUsd]).toEqual([
      spendUsd,
      spendUsd,
      spendUsd,
    ])
    expect(Math.abs(sum(shown) - spendUsd)).toBeLessThan(12 * 0.5e-6)
  })
})

describe('a spend cap', () => {
  it('refuses with 402 at the cap, tells clients not to retry, and lets through again once raised', async () => {
    const key = await tollgate.createKey({ name: 'capped', scope: 'completions-only', spendLimitUsd: 0.0001 })
    const served = [await tollgate.chat({}, { as: key.secret }), await tollgate.chat({}, { as: key.secret })]
    expect(served.map((answer) => answer.status)).toEqual([200, 200])
    const refused = await tollgate.chat({}, { as: key.secret })
    expect(refused.status).toBe(402)
    expect(refused.json.error).toMatchObject({ type: 'insufficient_quota', code: 'spend_limit_reached' })
    expect(refused.headers.get('x-should-retry')).toBe('false')
    await tollgate.call('PATCH', `/v1/keys/${key.id}`, { body: { spendLimitUsd: 1 } })
    expect((await tollgate.chat({}, { as: key.secret })).status).toBe(200)
  })

  it('is passed by at most one request when 200 come at once', async () => {
    const price = (await tollgate.chat({ max_tokens: 20 })).json.usage.cost
    const key = await tollgate.createKey({ name: 'crowd', scope: 'full', spendLimitUsd: price * 7.5 })
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, at) =>
        tollgate.chat({ max_tokens: 20, stream: at % 2 === 0 }, { as: key.secret }),
      ),
    )
    const { spendUsd, reservedUsd } = (await tollgate.call('GET', `/v1/keys/${key.id}`)).json
    expect(answers.filter(({ status }) => status !== 200 && status !== 402)).toEqual([])
    expect(nano(spendUsd)).toBeGreaterThanOrEqual(nano(price * 7.5))
    expect(nano(spendUsd)).toBeLessThanOrEqual(nano(price * 8.5))
    expect(reservedUsd).toBe(0)
  })

  it('counts the month of the whole account alike', async () => {
    await tollgate.call('PATCH', '/v1/account', { body: { monthlyLimitUsd: 0.00001 } })
    expect((await tollgate.chat({})).status).toBe(200)
    const refused = await tollgate.chat({})
    expect(refused.status).toBe(402)
    expect(refused.json.error.code).toBe('account_limit_reached')
  })

  it('is a promise that an unknown price cannot keep', async () => {
    const upstream = await startTestUpstream((exchange) => exchange.reply(200, completion('an answer')))
    try {
      await tollgate.addProvider('mine', upstream.url, [])
      await tollgate.call('PUT', '/v1/models/mystery', { body: { provider: 'mine' } })
      const capped = await tollgate.createKey({ name: 'capped', scope: 'full', spendLimitUsd: 1 })
      const refused = await tollgate.chat({ model: 'mystery' }, { as: capped.secret })
      expect(refused.status).toBe(400)
      expect(refused.json.error).toMatchObject({ code: 'model_unpriced', param: 'model' })
      const served = await tollgate.chat({ model: 'mystery' })
      expect(served.status).toBe(200)
      expect(served.headers.get('x-service-cost-usd')).toBeNull()
      const [record] = await tollgate.records()
      expect(record).toMatchObject({ costUsd: null, costStatus: 'unknown' })
    } finally {
      await upstream.close()
    }
  })
})

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

describe('what an upstream did', () => {
  let upstream: TestUpstream
  afterEach(() => upstream.close())

  it('is charged by its own count, cached tokens once and at their own price', async () => {
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

  it('is estimated and flagged when it reports no usage, never zero', async () => {
    upstream = await startTestUpstream((exchange) => {
      exchange.begin().data(chunk('four words of text'), chunk(null, 'stop'), '[DONE]').end()
    })
    await tollgate.addProvider('mine', upstream.url, ['quiet'])
    await tollgate.chat({ model: 'quiet', stream: true })
    const [record] = await tollgate.records()
    expect(record).toMatchObject({ status: 'succeeded', costStatus: 'estimated', tokensOut: 5 })
    expect(record?.costUsd).toBeGreaterThan(0)
  })

  it('costs nothing when it refused, however often it was tried', async () => {
    upstream = await startTestUpstream((exchange) =>
      exchange.reply(503, { error: { message: 'busy' } }, { 'retry-after-ms': '1' }),
    )
    await tollgate.addProvider('mine', upstream.url, ['busy'])
    const answer = await tollgate.chat({ model: 'busy' })
    expect(answer.status).toBe(503)
    const [record] = await tollgate.records()
    expect(record).toMatchObject({ status: 'failed', costUsd: 0, costStatus: 'free' })
    expect(record?.attempts).toHaveLength(3)
  })

  it('may have billed a call that timed out, though the retry was refused: that is not booked as free', async () => {
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
    expect([spendUsd, reservedUsd]).toEqual([record?.costUsd, 0])
  })

  it('is priced by the provider that may have billed it, not by the one that failed last', async () => {
    upstream = await startTestUpstream((exchange) => {
      const { model } = exchange.request.json()
      if (model === 'refusing') exchange.reply(401, { error: { message: 'who are you?' } })
      if (model === 'cheap' || model === 'dear') exchange.begin({ 'content-type': 'application/json' })
    })
    const put = async (id: string, inputPerMillion: number, fallbacks: string[]) => {
      await tollgate.addProvider(`at-${id}`, upstream.url, [], { stallTimeoutMs: 30 })
      const pricing = { inputPerMillion, outputPerMillion: 2 }
      const body = { provider: `at-${id}`, pricing, maxOutputTokens: 100, fallbacks }
      await tollgate.call('PUT', `/v1/models/${id}`, { body })
    }
    await put('refusing', 1000, [])
    await put('cheap', 1, ['refusing'])
    await put('dear', 7, ['cheap'])
    const answer = await tollgate.chat({ model: 'dear' })
    expect([answer.status, answer.json.error.code]).toEqual([502, 'upstream_credential'])
    const [record] = await tollgate.records()
    expect(record).toMatchObject({ model: 'dear', provider: 'at-dear', costStatus: 'unsettled' })
    expect(record?.price?.pricing.inputPerMillion).toBe(7)
    expect(record?.attempts.map(({ provider }) => provider)).toEqual([
      ...['at-dear', 'at-dear', 'at-dear', 'at-cheap', 'at-cheap', 'at-cheap'],
      'at-refusing',
    ])
    expect(nano(record?.costUsd ?? 0)).toBe((record?.tokensIn ?? 0) * 7_000)
  })

  it('counts a time-out before a stream that failed without a word', async () => {
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
    expect(dataOf(answer.text).at(-1)).toMatchObject({ error: { message: 'busy' } })
    const [record] = await tollgate.records()
    expect(record).toMatchObject({ status: 'failed', costStatus: 'unsettled' })
    expect(record?.costUsd).toBeGreaterThan(0)
  })

  it('is charged for what was streamed when the client hangs up, and is told to stop at once', async () => {
    const left = new AbortController()
    let gone: Promise<void> | undefined
    upstream = await startTestUpstream((exchange) => {
      gone = exchange.gone
      exchange.begin().data(chunk('some words that were already produced and sent'))
    })
    await tollgate.addProvider('mine', upstream.url, ['long'])
    const key = await tollgate.createKey({ name: 'hangs up', scope: 'full', spendLimitUsd: 5 })
    const response = await fetch(`${tollgate.baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'long', stream: true, messages: [{ role: 'user', content: 'Go on' }] }),
      signal: left.signal,
    })
    await response.body?.getReader().read()
    const hungUpAt = performance.now()
    left.abort()
    await gone
    expect(performance.now() - hungUpAt).toBeLessThan(100)
    await expect.poll(async () => (await tollgate.records())[0]?.status).toBe('canceled')
    const [record] = await tollgate.records()
    expect(record).toMatchObject({ costStatus: 'estimated', tokensOut: 12 })
    const after = (await tollgate.call('GET', `/v1/keys/${key.id}`)).json
    expect(after.reservedUsd).toBe(0)
    expect(nano(after.spendUsd)).toBe(nano(record?.costUsd ?? -1))
    expect(after.spendUsd).toBeGreaterThan(0)
  })

  it('ends with an error chunk and no [DONE] when the stream breaks off, and is charged for what came', async () => {
    upstream = await startTestUpstream((exchange) => {
      exchange.begin().data(chunk('half an answ')).end()
    })
    await tollgate.addProvider('mine', upstream.url, ['cut'])
    const answer = await tollgate.chat({ model: 'cut', stream: true })
    const events = dataOf(answer.text)
    expect(events).not.toContain('[DONE]')
    expect(events.at(-1)).toMatchObject({ error: { type: 'upstream_error' } })
    const [record] = await tollgate.records()
    expect(record).toMatchObject({ status: 'failed', costStatus: 'estimated', tokensOut: 3 })
  })
})
