// The model of a rule never keeps the requested one from serving.
import { afterEach, expect, test } from 'vitest'
import { startTestGateway } from '../../../gateway/testing/gateway.ts'
import { forFile } from '../../../gateway/testing/lifetime.ts'
import { startTestUpstream } from '../../../gateway/upstream/testing/test-upstream.ts'

const CHEAP = 'cheap-model'
const DEAR = 'dear-model'
const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 }
let rejected: string | null = null
const upstream = await forFile(
  startTestUpstream((exchange) => {
    const { model } = exchange.request.json()
    if (model === rejected)
      return exchange.reply(400, { error: { message: 'Unknown member', type: 'invalid' } })
    const message = { role: 'assistant', content: 'Hello' }
    exchange.reply(200, { id: 'c', model, choices: [{ index: 0, message, finish_reason: 'stop' }], usage })
  }),
)
const gateway = await forFile(startTestGateway())
await gateway.addProvider('vendor', `${upstream.url}/v1`, [CHEAP, DEAR])
for (const [model, usd] of [
  [CHEAP, 1],
  [DEAR, 100],
] as const)
  await gateway.call('PUT', `/v1/models/${model}`, {
    body: {
      provider: 'vendor',
      pricing: { inputPerMillion: usd, outputPerMillion: usd },
      ...{ maxOutputTokens: 8_000, contextWindow: 200_000 },
    },
  })

afterEach(() => {
  rejected = null
})

/** Asks for one model under a rule for the other one. */
async function ask(model: string, limits: object) {
  const { secret } = await gateway.createKey({ name: 'k', scope: 'full', strict: true, ...limits })
  const other = model === CHEAP ? DEAR : CHEAP
  const body = { when: [], do: [{ kind: 'model', model: other }], at: 'any', mode: 'on' }
  const { json: rule } = await gateway.call('POST', '/v1/rules', { body })
  const messages = [{ role: 'user', content: 'Hi' }]
  const { status, headers } = await gateway.call('POST', '/v1/chat/completions', {
    as: secret,
    body: { model, messages, max_tokens: 1_000 },
  })
  await gateway.call('DELETE', `/v1/rules/${rule.id}`)
  const [record] = await gateway.records()
  return {
    status,
    model: headers.get('x-service-model'),
    rule: decodeURIComponent(headers.get('x-tollgate-rule') ?? '') || null,
    unable: record?.rules?.[0]?.unable,
  }
}

const served = { status: 200, model: CHEAP, rule: null, unable: 'The other model did not answer.' }

test('a dearer model that does not fit under a limit leaves the request to the requested one', async () => {
  expect(await ask(CHEAP, { spendLimitUsd: 0.01 })).toEqual(served)
})

test('neither does a limit refuse it that is only for the model of the rule', async () => {
  const forDear = (usd: number) => ({ spendLimits: [{ usd, per: 'month', model: DEAR }] })
  expect(await ask(CHEAP, forDear(0.001))).toEqual(served)
  const { secret } = await gateway.createKey({ name: 'used up', scope: 'full', ...forDear(0.000001) })
  const call = (model: string) =>
    gateway.call('POST', '/v1/chat/completions', {
      as: secret,
      body: { model, messages: [{ role: 'user', content: 'Hi' }], max_tokens: 100 },
    })
  expect([(await call(DEAR)).status, (await call(DEAR)).status]).toEqual([200, 402])
  const body = { do: [{ kind: 'model', model: DEAR }], at: 'any', mode: 'on' }
  const { json: rule } = await gateway.call('POST', '/v1/rules', { body })
  const { status, headers } = await call(CHEAP)
  await gateway.call('DELETE', `/v1/rules/${rule.id}`)
  expect([status, headers.get('x-service-model')]).toEqual([200, CHEAP])
})

test('a provider that rejects the request for the model of the rule leaves it to the requested one', async () => {
  rejected = CHEAP
  expect(await ask(DEAR, {})).toEqual({ ...served, model: DEAR })
})

test('a request that fits whole at no model is shortened for the model of the rule', async () => {
  expect(await ask(DEAR, { spendLimitUsd: 0.0007 })).toEqual({
    ...{ status: 200, model: CHEAP, unable: null },
    rule: `Requests use ${CHEAP}, also within a session.`,
  })
})

test('a stored answer is given although a rule has changed the request, and none is stored of one', async () => {
  const limits = { spendLimitUsd: 0.0000001, responseCache: { ttlSeconds: 600, maxBytes: 65_536 } }
  const { secret } = await gateway.createKey({ name: 'cached', scope: 'full', ...limits })
  const call = async (content: string, as = secret) => {
    const body = { model: DEAR, messages: [{ role: 'user', content }], max_tokens: 10, temperature: 0 }
    const { status, headers } = await gateway.call('POST', '/v1/chat/completions', { as, body })
    return [status, headers.get('x-service-model'), headers.get('x-tollgate-cache')]
  }
  expect(await call('First')).toEqual([200, DEAR, 'miss'])
  const rule = { do: [{ kind: 'model', model: CHEAP }], at: 'any', mode: 'on' }
  const { json } = await gateway.call('POST', '/v1/rules', { body: rule })
  expect(await call('First')).toEqual([200, DEAR, 'hit'])
  expect((await call('Second'))[0]).toBe(402)
  const { secret: other } = await gateway.createKey({
    ...limits,
    name: 'more',
    scope: 'full',
    spendLimitUsd: 1,
  })
  expect(await call('Second', other)).toEqual([200, CHEAP, 'miss'])
  expect(await call('Second', other)).toEqual([200, CHEAP, 'miss'])
  await gateway.call('DELETE', `/v1/rules/${json.id}`)
})
