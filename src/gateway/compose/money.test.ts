import { request as httpRequest } from 'node:http'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { readData, startTestGateway, type TestGateway } from '../testing/gateway.ts'
import { billing, startTestUpstream } from '../upstream/testing/test-upstream.ts'

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
  it('is in the four headers and in the usage of a plain answer', async () => {
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

  it('is in the declared trailers of a stream, and in the usage chunk when the client requests one', async () => {
    const body = { model: 'sandbox-small', stream: true, messages: [{ role: 'user', content: 'Hello' }] }
    const plain = await tollgate.chat({})
    const streamed = await streamWithTrailers({ ...body, stream_options: { include_usage: true } })
    expect(streamed.declared).toContain('X-Service-Cost-Usd')
    expect(streamed.trailers['x-service-cost-usd']).toBe(plain.headers.get('x-service-cost-usd'))
    const events = readData(streamed.text)
    expect(events.at(-1)).toBe('[DONE]')
    expect(events.at(-2)).toMatchObject({ choices: [], usage: plain.json.usage })
    const without = await streamWithTrailers(body)
    expect(readData(without.text).filter((event) => event.usage)).toEqual([])
    expect(without.trailers['x-service-tokens-out']).toBe(String(plain.json.usage.completion_tokens))
  })

  it('agrees between headers, key, usage, account and records after a mix of plain and streamed calls', async () => {
    const upstream = await startTestUpstream()
    onTestFinished(() => upstream.close())
    await tollgate.addProvider('mine', upstream.url, ['small', 'large'])
    const key = await tollgate.createKey({ name: 'mix', scope: 'full' })
    const shown: number[] = []
    for (let round = 0; round < 6; round++) {
      upstream.handler = billing(100 + round, 10 + round)
      const request = { model: round % 3 === 0 ? 'large' : 'small' }
      const plain = await tollgate.chat(request, { as: key.secret })
      shown.push(Number(plain.headers.get('x-service-cost-usd')))
      const streamed = await tollgate.chat(
        { ...request, stream: true, stream_options: { include_usage: true } },
        { as: key.secret },
      )
      shown.push(readData(streamed.text).at(-2).usage.cost)
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
  it('is exceeded by at most one of 200 concurrent requests', async () => {
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

  it('applies to the month of the whole account too', async () => {
    const upstream = await startTestUpstream(billing(20, 40))
    onTestFinished(() => upstream.close())
    await tollgate.addProvider('mine', upstream.url, ['m'])
    await tollgate.call('PATCH', '/v1/account', { body: { monthlyLimitUsd: 0.00001 } })
    expect((await tollgate.chat({ model: 'm' })).status).toBe(200)
    const refused = await tollgate.chat({ model: 'm' })
    expect(refused.status).toBe(402)
    expect(refused.json.error.code).toBe('account_limit_reached')
  })
})
