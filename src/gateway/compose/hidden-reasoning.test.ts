import { afterEach, beforeEach, expect, it } from 'vitest'
import { startTestGateway, type TestGateway } from '../testing/gateway.ts'
import { addPricedModel } from '../testing/priced-model.ts'
import { startTestUpstream, type TestUpstream, testChunk } from '../upstream/testing/test-upstream.ts'

let tollgate: TestGateway
let upstream: TestUpstream

beforeEach(async () => {
  tollgate = await startTestGateway()
  upstream = await startTestUpstream()
})
afterEach(async () => {
  await tollgate.close()
  await upstream.close()
})

it('many streams that reason without showing it pass a cap by one of them', async () => {
  const reasoningTokens = 20_000
  const usdPerToken = 25 / 1_000_000
  let calls = 0
  upstream.handler = (exchange) => {
    calls += 1
    const usage = {
      prompt_tokens: 10,
      completion_tokens: reasoningTokens,
      total_tokens: reasoningTokens + 10,
    }
    exchange.begin().data(testChunk({ content: 'Yes' }), testChunk({}, 'stop'))
    exchange.data({ ...testChunk({}), choices: [], usage }, '[DONE]').end()
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
  await addPricedModel(tollgate, upstream.url, {
    model: { maxOutputTokens: 100_000, capabilities, pricing },
  })
  /** The amount that stays reserved for a key whose client leaves in the middle of the answer. */
  const leave = async () => {
    const key = await tollgate.createKey({ name: 'agents', scope: 'full', spendLimitUsd: 1 })
    const left = new AbortController()
    const { body } = await fetch(`${tollgate.baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'Hi' }] }),
      signal: left.signal,
    })
    await body?.getReader().read()
    left.abort()
    await expect.poll(async () => (await tollgate.records())[0]?.status).toBe('canceled')
    return (await tollgate.call('GET', `/v1/keys/${key.id}`)).json.reservedUsd
  }
  // 8,000 tokens at 10 USD per million are likely.
  expect(await leave()).toBeCloseTo(0.08, 3)
  show = true
  expect(await leave()).toBe(0)
})

it('a restart keeps the length of answers, by which streams reserve', async () => {
  let reserved = 0
  upstream.handler = async (exchange) => {
    const usage = { prompt_tokens: 10, completion_tokens: 9_000, total_tokens: 9_010 }
    reserved = Number((await tollgate.call('GET', `/v1/keys/${key.id}`)).json.reservedUsd)
    exchange.begin().data(testChunk({ content: 'Yes' }), testChunk({}, 'stop'))
    exchange.data({ ...testChunk({}), choices: [], usage }, '[DONE]').end()
  }
  await addPricedModel(tollgate, upstream.url, { model: { maxOutputTokens: 100_000 } })
  const key = await tollgate.createKey({ name: 'agent', scope: 'full', spendLimitUsd: 1 })
  await tollgate.chat({ model: 'm', stream: true }, { as: key.secret })
  expect(reserved).toBeLessThan(0.002)
  await tollgate.restart()
  await tollgate.chat({ model: 'm', stream: true }, { as: key.secret })
  expect(reserved).toBeGreaterThan(0.009)
})
