import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startTestGateway, type TestGateway } from '../testing/gateway.ts'
import { addPricedModel } from '../testing/priced-model.ts'
import {
  startTestUpstream,
  type TestUpstream,
  testChunk,
  testCompletion,
} from '../upstream/testing/test-upstream.ts'

let tollgate: TestGateway
let upstream: TestUpstream

beforeEach(async () => {
  tollgate = await startTestGateway()
  upstream = await startTestUpstream()
  await addPricedModel(tollgate, upstream.url, { model: { maxOutputTokens: 100 } })
})
afterEach(async () => {
  await tollgate.close()
  await upstream.close()
})

/** The highest possible cost of a request at a dollar per million tokens: each byte of its body, and its output limit. */
const mostUsd = (body: object, outputTokens: number) =>
  (Buffer.byteLength(JSON.stringify(body)) + 100 + outputTokens) / 1_000_000

const reports = {
  'a cost': { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, cost: 0.99 },
  'output tokens': { prompt_tokens: 10, completion_tokens: 9_000_000, total_tokens: 9_000_010 },
  'prompt tokens': { prompt_tokens: 9_000_000, completion_tokens: 5, total_tokens: 9_000_005 },
}

describe.each([false, true])('with `stream` at %s', (stream) => {
  it.each(Object.entries(reports))(
    '%s far above the bound are charged at the bound',
    async (_name, usage) => {
      upstream.handler = (exchange) => {
        if (!stream) return exchange.reply(200, { ...testCompletion('Hi'), usage })
        exchange.begin().data(testChunk({ content: 'Hi' }), testChunk({}, 'stop'))
        exchange.data({ ...testChunk({}), choices: [], usage }, '[DONE]').end()
      }
      const body = {
        model: 'm',
        stream,
        max_tokens: 5,
        messages: [{ role: 'user', content: 'x'.repeat(100) }],
      }
      for (const cap of [1, null]) {
        const key = await tollgate.createKey({ name: `cap ${cap}`, scope: 'full', spendLimitUsd: cap })
        const answers = await Promise.all(
          Array.from({ length: 40 }, () => tollgate.chat(body, { as: key.secret })),
        )
        expect(answers.every(({ status }) => status === 200)).toBe(true)
        const { json } = await tollgate.call('GET', `/v1/keys/${key.id}`)
        expect(json.reservedUsd).toBe(0)
        expect(json.spendUsd).toBeGreaterThan(0)
        expect(json.spendUsd).toBeLessThanOrEqual(40 * mostUsd(body, 5))
      }
      const { json } = await tollgate.call('GET', '/v1/requests?limit=1')
      expect(json.data[0]).toMatchObject({
        costStatus: 'estimated',
        costLowUsd: 0,
        costHighUsd: 'cost' in usage ? 0.99 : (usage.prompt_tokens + usage.completion_tokens) / 1_000_000,
      })
    },
  )
})
