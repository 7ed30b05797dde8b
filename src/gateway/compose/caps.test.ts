// Whatever the cost of a request depends on, concurrent requests exceed a cap by at most one of them.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startTestGateway, type TestGateway } from '../testing/gateway.ts'
import { addPricedModel, billedCompletion } from '../testing/priced-model.ts'
import { startTestUpstream, type TestHandler, type TestUpstream } from '../upstream/testing/test-upstream.ts'

const BYTES_PER_TOKEN = 4
/** The cost of each request below, in USD: 200,000 tokens at 1 USD per million. */
const COST = 0.2
const TOKENS = 200_000
const CAP = 0.25

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

const LARGE = 'x'.repeat(TOKENS * BYTES_PER_TOKEN)

/** Bills one token for every four bytes it receives. */
const bySize: TestHandler = (exchange) =>
  exchange.reply(200, billedCompletion(Math.ceil(exchange.request.body.length / BYTES_PER_TOKEN), 1))
/** Supports only the older name of the output limit, and writes as much as it allows. */
const byLimit: TestHandler = (exchange) => {
  const limit = exchange.request.json().max_tokens
  exchange.reply(200, billedCompletion(1, typeof limit === 'number' ? limit : TOKENS))
}
/** Reads a stored file of that size. */
const byFile: TestHandler = (exchange) => exchange.reply(200, billedCompletion(TOKENS, 1))

const serveModel = (model: Record<string, unknown> = {}) => addPricedModel(tollgate, upstream.url, { model })

async function spendOf20(
  request: Record<string, unknown>,
  cap = CAP,
): Promise<{ spent: number; statuses: Set<number> }> {
  const key = await tollgate.createKey({ name: 'crowd', scope: 'full', spendLimitUsd: cap })
  const send = () => tollgate.chat({ model: 'm', ...request }, { as: key.secret })
  const answers = await Promise.all(Array.from({ length: 20 }, send))
  const { spendUsd, reservedUsd } = (await tollgate.call('GET', `/v1/keys/${key.id}`)).json
  expect(reservedUsd).toBe(0)
  return { spent: spendUsd, statuses: new Set(answers.map(({ status }) => status)) }
}

const tool = (properties: object) => ({
  type: 'function',
  function: { name: 'f', parameters: { type: 'object', properties } },
})

describe('20 concurrent requests exceed the cap by at most one of them', () => {
  it.each<[string, TestHandler, Record<string, unknown>, Record<string, unknown>?]>([
    ['with text in the messages', bySize, { messages: [{ role: 'user', content: LARGE }] }],
    ['with text in functions', bySize, { functions: [{ name: 'f', description: LARGE }] }],
    ['with text in a prediction', bySize, { prediction: { type: 'content', content: LARGE } }],
    ['with text in a field of its vendor', bySize, { documents: [{ text: LARGE }] }],
    [
      'with text in a parameter called image_url',
      bySize,
      { tools: [tool({ image_url: { description: LARGE } })] },
    ],
    [
      'with text in a member called image_url',
      bySize,
      { messages: [{ role: 'user', content: 'Hi', image_url: { url: LARGE } }] },
    ],
    [
      'with text that only pretends to be an image',
      bySize,
      {
        messages: [
          {
            role: 'user',
            content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${LARGE} !` } }],
          },
        ],
      },
    ],
    [
      'with a file that is only named',
      byFile,
      { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file-1' } }] }] },
    ],
    ['with a search', byFile, { web_search_options: {} }],
    [
      'with two output limits, of which the server knows one',
      byLimit,
      { max_completion_tokens: 1, max_tokens: TOKENS },
    ],
    ['with the output limit that the server does not know', byLimit, { max_completion_tokens: TOKENS }],
  ])('%s', async (_, bills, request, model) => {
    upstream.handler = bills
    await serveModel(model)
    const { spent } = await spendOf20(request)
    expect(spent).toBeLessThanOrEqual(CAP + COST + 0.001)
  })

  it('without a known output limit of the model', async () => {
    upstream.handler = byLimit
    await serveModel({ maxOutputTokens: null })
    // 16,384 tokens are reserved then, and asked for.
    const { spent } = await spendOf20({}, 0.02)
    expect(upstream.requests.every((request) => request.json().max_tokens === 16_384)).toBe(true)
    expect(spent).toBeLessThanOrEqual(0.02 + 0.0165)
  })

  it('when a provider without n gets the prompt once for each choice', async () => {
    upstream.handler = (exchange) =>
      exchange.reply(200, {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        content: [{ type: 'text', text: 'Hi' }],
        stop_reason: 'end_turn',
        usage: { input_tokens: Math.ceil(exchange.request.body.length / BYTES_PER_TOKEN), output_tokens: 1 },
      })
    await addPricedModel(tollgate, upstream.url, { provider: { apiFormat: 'anthropic-messages' } })
    const messages = [{ role: 'user', content: LARGE }]
    const { spent } = await spendOf20({ messages, n: 4 })
    expect(spent).toBeLessThanOrEqual(CAP + 4 * COST + 0.001)
  })
})
