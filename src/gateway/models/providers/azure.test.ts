import { expect, test } from 'vitest'
import { startTestGateway } from '../../testing/gateway.ts'
import { forTest } from '../../testing/lifetime.ts'
import { startTestUpstream, type TestHandler, testCompletion } from '../../upstream/testing/test-upstream.ts'

const deployments = {
  object: 'list',
  data: [
    { object: 'deployment', id: 'our-chat', model: 'gpt-4o', status: 'succeeded' },
    { object: 'deployment', id: 'half-made', model: 'gpt-4o', status: 'running' },
  ],
}
const deployable = {
  object: 'list',
  data: [{ object: 'model', id: 'gpt-4o-2024-08-06', capabilities: { chat_completion: true } }],
}

/** A gateway with the provider set up on a resource of Azure. */
async function startAzure(handler: TestHandler) {
  const upstream = await forTest(startTestUpstream(handler))
  const gateway = await forTest(startTestGateway())
  const body = { baseUrl: `${upstream.url}/openai/v1`, credential: 'canary-azure' }
  expect((await gateway.call('PUT', '/v1/providers/azure', { body })).status).toBe(200)
  return { gateway, upstream }
}

test('deployments are listed, priced by their model, and called with the api-key header', async () => {
  const { gateway, upstream } = await startAzure((exchange) => {
    const { path } = exchange.request
    if (path === '/openai/v1/models') exchange.reply(200, deployable)
    else if (path.startsWith('/openai/deployments?api-version=')) exchange.reply(200, deployments)
    else
      exchange.reply(200, {
        ...testCompletion('Hello from Azure'),
        usage: { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 },
      })
  })
  const listed = await gateway.call('POST', '/v1/providers/azure/models')
  expect(listed.json.data).toEqual([{ id: 'our-chat' }])
  const model = await gateway.call('GET', '/v1/models/our-chat')
  expect(model.json).toMatchObject({
    provider: 'azure',
    pricing: { inputPerMillion: 2.5, outputPerMillion: 10 },
  })
  expect(model.json.capabilities).toContain('vision')

  const answer = await gateway.chat({ model: 'our-chat', max_tokens: 50 })
  expect(answer.json.choices[0].message.content).toBe('Hello from Azure')
  expect(answer.headers.get('x-service-cost-usd')).toBe('0.003500')
  const sent = upstream.requests.at(-1)
  expect(sent?.path).toBe('/openai/v1/chat/completions')
  expect(sent?.json()).toMatchObject({ model: 'our-chat', max_tokens: 50 })
  for (const { headers } of upstream.requests) {
    expect([headers['api-key'], headers.authorization]).toEqual(['canary-azure', undefined])
  }
})

test('without the older API the test succeeds with no models, and a deployment can be added by hand', async () => {
  const { gateway } = await startAzure((exchange) => {
    const { path } = exchange.request
    if (path === '/openai/v1/models') exchange.reply(200, deployable)
    else if (path.startsWith('/openai/deployments')) exchange.reply(404, { error: { message: 'Gone' } })
    else exchange.reply(200, testCompletion('Hi'))
  })
  const result = await gateway.call('POST', '/v1/providers/azure/test')
  expect(result.json).toMatchObject({ ok: true, modelCount: 0 })
  await gateway.call('PUT', '/v1/models/by-hand', { body: { provider: 'azure' } })
  expect((await gateway.chat({ model: 'by-hand' })).status).toBe(200)
})

test('a rejected key is reported with the message of Azure and without the key', async () => {
  const { gateway } = await startAzure((exchange) =>
    exchange.reply(401, {
      error: { code: '401', message: 'Access denied due to invalid key canary-azure.' },
    }),
  )
  const result = await gateway.call('POST', '/v1/providers/azure/test')
  expect(result.json).toMatchObject({ ok: false })
  expect(result.json.error).toContain('Access denied')
  expect(result.text).not.toContain('canary-azure')
})

test('the base URL is required, and the record says how it is made', async () => {
  const gateway = await forTest(startTestGateway())
  const refused = await gateway.call('PUT', '/v1/providers/azure', { body: { credential: 'k' } })
  expect([refused.status, refused.json.error.param]).toEqual([400, 'baseUrl'])
  expect(refused.json.error.message).toContain('https://{resource}.openai.azure.com/openai/v1')
  const { json } = await gateway.call('GET', '/v1/providers')
  const azure = json.data.find(({ id }: { id: string }) => id === 'azure')
  expect(azure).toMatchObject({
    baseUrl: null,
    authorization: 'api-key',
    authorizations: [],
    address: { fields: [{ name: 'resource' }] },
  })
  const other = { baseUrl: 'https://x.example', credential: 'k', authorization: 'aws-access-key' }
  const wrong = await gateway.call('PUT', '/v1/providers/azure', { body: other })
  expect([wrong.status, wrong.json.error.param]).toEqual([400, 'authorization'])
})
