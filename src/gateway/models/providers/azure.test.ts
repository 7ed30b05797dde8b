import { afterEach, expect, test, vi } from 'vitest'
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
async function startAzure(handler: TestHandler, signIn: object = { credential: 'canary-azure' }) {
  const upstream = await forTest(startTestUpstream(handler))
  const gateway = await forTest(startTestGateway())
  const body = { baseUrl: `${upstream.url}/openai/v1`, ...signIn }
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
    authorizations: ['api-key', 'azure-login', 'entra-client-secret'],
    address: { fields: [{ name: 'resource' }] },
  })
  const other = { baseUrl: 'https://x.example', credential: 'k', authorization: 'aws-access-key' }
  const wrong = await gateway.call('PUT', '/v1/providers/azure', { body: other })
  expect([wrong.status, wrong.json.error.param]).toEqual([400, 'authorization'])
})

/** A token as Entra issues them. */
const canaryToken = (n: number) =>
  `eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiJ9.eyJhdWQiOiJjYW5hcnkifQ.canary${n}-signature`

/** An App Service whose identity issues a new token at each call, and Azure, which accepts those that `accepts` does. */
async function startWithIdentity(accepts: (token: string) => boolean, rejection: object = {}) {
  let issued = 0
  const started = await startAzure(
    (exchange) => {
      const { path, headers } = exchange.request
      if (path.startsWith('/msi')) {
        const expires_on = Math.floor(Date.now() / 1000) + 3600
        return exchange.reply(200, { access_token: canaryToken(++issued), expires_on: String(expires_on) })
      }
      const token = (headers.authorization ?? '').replace('Bearer ', '')
      if (!accepts(token)) return exchange.reply(401, rejection)
      if (path.startsWith('/openai/deployments?api-version=')) return exchange.reply(200, deployments)
      return exchange.reply(200, path.endsWith('/models') ? deployable : testCompletion('Hello'))
    },
    { authorization: 'azure-login' },
  )
  vi.stubEnv('IDENTITY_ENDPOINT', `${started.upstream.url}/msi`)
  vi.stubEnv('IDENTITY_HEADER', 'canary-header')
  await started.gateway.call('PUT', '/v1/models/our-chat', { body: { provider: 'azure' } })
  return { ...started, countIssued: () => issued }
}

afterEach(() => {
  vi.unstubAllEnvs()
})

test('requests with a login share one token, which is in no answer and not stored', async () => {
  const { gateway, countIssued } = await startWithIdentity(() => true)
  const answers = await Promise.all(Array.from({ length: 100 }, () => gateway.chat({ model: 'our-chat' })))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  expect(countIssued()).toBe(1)
  expect(answers.some(({ text }) => text.includes('canary1'))).toBe(false)
  const records = await gateway.call('GET', '/v1/requests?limit=100')
  expect(records.text).not.toContain('canary1')
})

test('a token that Azure rejects is renewed once, for all requests that carried it', async () => {
  let revoked = ''
  const { gateway, countIssued, upstream } = await startWithIdentity((token) => token !== revoked)
  await gateway.chat({ model: 'our-chat' })
  revoked = canaryToken(1)
  const before = upstream.requests.length
  const answers = await Promise.all(Array.from({ length: 20 }, () => gateway.chat({ model: 'our-chat' })))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  expect(countIssued()).toBe(2)
  // Each may have been sent twice, and no more; the identity was asked once.
  expect(upstream.requests.length - before).toBeLessThanOrEqual(41)
})

test('a login that Azure does not let in is tried twice, and its test says which role it needs', async () => {
  const { gateway, upstream } = await startWithIdentity(() => false, {
    error: {
      code: 'PermissionDenied',
      message: `The principal ${canaryToken(2)} does not have access to API/Operation.`,
    },
  })
  const answer = await gateway.chat({ model: 'our-chat' })
  expect([answer.status, answer.json.error.code]).toEqual([502, 'upstream_credential'])
  expect(upstream.requests.filter(({ path }) => path.endsWith('/chat/completions'))).toHaveLength(2)
  const { json, text } = await gateway.call('POST', '/v1/providers/azure/test')
  expect(json.ok).toBe(false)
  expect(json.error).toMatch(/rejected the login of this computer \(401\).*"Cognitive Services OpenAI User"/)
  expect(text + answer.text).not.toContain('canary2-signature')
})

test('a client secret is checked for its form when it is entered', async () => {
  const gateway = await forTest(startTestGateway())
  const body = {
    baseUrl: 'https://my.openai.azure.com/openai/v1',
    authorization: 'entra-client-secret',
    credential: 'only-the-secret',
  }
  const refused = await gateway.call('PUT', '/v1/providers/azure', { body })
  expect([refused.status, refused.json.error.param]).toEqual([400, 'credential'])
  expect(refused.json.error.message).toContain('TENANT_ID:CLIENT_ID:CLIENT_SECRET')
})
