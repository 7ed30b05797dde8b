// What a strict key may be billed for is reserved, whatever the request has: a model that a provider fills up is paid in full.
import { expect, test } from 'vitest'
import { startTestGateway } from '../testing/gateway.ts'
import { forFile } from '../testing/lifetime.ts'
import { addPricedModel, billedCompletion } from '../testing/priced-model.ts'
import { startTestUpstream } from '../upstream/testing/test-upstream.ts'
import { vendorFormats } from '../upstream/testing/vendor-formats.ts'

const gateway = await forFile(startTestGateway())
const upstream = await forFile(startTestUpstream())
/** At 1 USD per million tokens, a window costs 0.1 USD. */
const contextWindow = 100_000
await addPricedModel(gateway, upstream.url, { model: { contextWindow, maxOutputTokens: 100 } })
const chat = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] }
const image = { image: 'https://example.com/a.png' }
const images = (count: number) => ({ model: 'm', input: Array.from({ length: count }, () => image) })

async function send(path: string, body: object, limits: object, answer: object = billedCompletion(10, 5)) {
  upstream.handler = (exchange) => exchange.reply(200, answer)
  const { secret } = await gateway.createKey({ name: 'k', scope: 'full', ...limits })
  const before = upstream.requests.length
  const { status, json } = await gateway.call('POST', path, { as: secret, body })
  return { status, error: json.error ?? json, calls: upstream.requests.length - before }
}

test.each<[string, string, object, number]>([
  ['stored files', '/v1/chat/completions', { ...chat, files: [{ type: 'collection', id: 'c1' }] }, 0.1],
  ['an agent', '/v1/chat/completions', { ...chat, agent_id: 'a1', document_ids: ['d1'] }, 0.1],
  ['images to embed', '/v1/embeddings', images(10), 1],
  ['a conversation to embed', '/v1/embeddings', { model: 'm', input: 'Hi', messages: chat.messages }, 0.1],
  ['images to rank', '/v1/rerank', { model: 'm', query: 'Hi', documents: [image, image] }, 0.2],
])('%s take a whole window each', async (_, path, body, usd) => {
  const tooLow = await send(path, body, { spendLimitUsd: usd - 0.001, strict: true })
  expect([tooLow.status, tooLow.error.code, tooLow.calls]).toEqual([402, 'spend_limit_reached', 0])
  expect((await send(path, body, { spendLimitUsd: usd + 0.01, strict: true })).status).toBe(200)
  expect((await send(path, body, {})).status).toBe(200)
})

test('what is not sent to a provider of another format is not reserved', async () => {
  await gateway.addProvider('other', upstream.url, [], { apiFormat: 'anthropic-messages' })
  const pricing = { inputPerMillion: 1, outputPerMillion: 1 }
  await gateway.call('PUT', '/v1/models/translated', {
    body: { provider: 'other', pricing, contextWindow, maxOutputTokens: 100 },
  })
  const body = { ...chat, model: 'translated', files: ['f1'] }
  const limits = { spendLimitUsd: 0.01, strict: true }
  const usage = { input_tokens: 10, output_tokens: 5 }
  const answer = vendorFormats['anthropic-messages'].plain({ texts: ['Hi'], usage })
  expect((await send('/v1/chat/completions', body, limits, answer)).status).toBe(200)
})

test('a budget for thinking that does not fit the lowered limit is refused for the cap', async () => {
  const anthropic = { apiFormat: 'anthropic-messages' }
  await gateway.addProvider('claude', upstream.url, [], anthropic)
  const pricing = { inputPerMillion: 5, outputPerMillion: 25 }
  await gateway.call('PUT', '/v1/models/thinker', { body: { provider: 'claude', pricing } })
  const thinking = { type: 'enabled', budget_tokens: 3_000 }
  const body = { model: 'thinker', max_tokens: 4_000, thinking, messages: chat.messages }
  const { status, error, calls } = await send('/v1/messages', body, { spendLimitUsd: 0.045, strict: true })
  expect([status, calls]).toEqual([402, 0])
  expect(error.message).toContain('0.045')
})
