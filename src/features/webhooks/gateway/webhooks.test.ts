import { createHmac } from 'node:crypto'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { createMemoryCredentials, startTestGateway } from '../../../gateway/testing/gateway.ts'
import { forEachTest } from '../../../gateway/testing/lifetime.ts'
import { type RecordedRequest, startTestUpstream } from '../../../gateway/upstream/testing/test-upstream.ts'

const SECRET = 'a-secret-of-the-test'
const PROMPT = 'a prompt that must stay here'

let credentials = createMemoryCredentials()
beforeEach(() => {
  credentials = createMemoryCredentials()
})
const tollgate = forEachTest(() => startTestGateway({ credentials, webhookRetryMs: [1, 1, 1] }))
const receiver = forEachTest(() => startTestUpstream((exchange) => exchange.reply(204, '')))

const put = (body: object) => tollgate.call('PUT', '/v1/webhook', { body })
const view = async () => (await tollgate.call('GET', '/v1/webhook')).json

/** Takes a capped key past 80 % of its cap. */
async function crossCap() {
  const key = await tollgate.createKey({ name: 'agent', scope: 'full', spendLimitUsd: 0.000001 })
  const body = { model: 'sandbox-large', messages: [{ role: 'user', content: PROMPT }], max_tokens: 10 }
  await tollgate.chat(body, { as: key.secret })
  return key
}

function expectSigned({ headers, body }: RecordedRequest, secret: string): void {
  const timestamp = headers['x-tollgate-timestamp']
  const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
  expect(headers['x-tollgate-signature']).toBe(`v1=${signature}`)
}

test('nothing is sent until a URL is set', async () => {
  await crossCap()
  expect(await view()).toEqual({ url: null, lastDelivery: null })
  expect((await tollgate.call('POST', '/v1/webhook/test')).json.error.code).toBe('webhook_not_set')
  expect(receiver.requests).toEqual([])
})

test('an alert is sent once, signed, and without secrets and prompts', async () => {
  expect((await put({ url: `${receiver.url}/hook?team=a`, secret: SECRET })).json).toMatchObject({
    secret: null,
  })
  const key = await crossCap()
  await vi.waitFor(async () => expect((await view()).lastDelivery).toMatchObject({ ok: true, status: 204 }))
  expect(receiver.requests).toHaveLength(1)
  const [request] = receiver.requests
  if (!request) throw new Error('nothing came')
  expect(request).toMatchObject({ method: 'POST', path: '/hook?team=a' })
  expectSigned(request, SECRET)
  expect(request.json()).toMatchObject({
    type: 'cap-alert',
    alert: { keyId: key.id, name: 'agent', percent: 100, limit: { per: 'lifetime' } },
    text: expect.stringContaining('agent has reached its lifetime cap'),
  })
  for (const text of [PROMPT, key.secret, SECRET, tollgate.admin]) {
    expect(request.body).not.toContain(text)
    expect(JSON.stringify(request.headers)).not.toContain(text)
  }
})

test('without a secret one is created, returned once, and kept where credentials are', async () => {
  const { json } = await put({ url: receiver.url })
  expect(json.secret).toMatch(/^whsec_/)
  expect((await put({ url: `${receiver.url}/other` })).json.secret).toBeNull()
  expect(JSON.stringify(await view())).not.toContain(json.secret)
  expect((await tollgate.call('POST', '/v1/webhook/test')).json).toMatchObject({ ok: true, type: 'test' })
  const [request] = receiver.requests
  if (!request) throw new Error('nothing came')
  expectSigned(request, json.secret)
})

describe('a delivery that fails', () => {
  test('is repeated with the same id until the receiver takes it', async () => {
    let left = 2
    receiver.handler = (exchange) => exchange.reply(left-- > 0 ? 503 : 200, '')
    await put({ url: receiver.url, secret: SECRET })
    await crossCap()
    await vi.waitFor(async () => expect((await view()).lastDelivery).toMatchObject({ ok: true, attempts: 3 }))
    expect(new Set(receiver.requests.map(({ headers }) => headers['x-tollgate-delivery'])).size).toBe(1)
  })

  test('is given up after the last attempt', async () => {
    receiver.handler = (exchange) => exchange.reply(500, '')
    await put({ url: receiver.url, secret: SECRET })
    await crossCap()
    await vi.waitFor(async () => {
      expect((await view()).lastDelivery).toMatchObject({
        ok: false,
        status: 500,
        attempts: 4,
        retryAt: null,
      })
    })
    expect(receiver.requests).toHaveLength(4)
  })

  test('is not repeated for a redirect, which is not followed, nor for a 404', async () => {
    receiver.handler = (exchange) => exchange.reply(307, '', { location: `${receiver.url}/elsewhere` })
    await put({ url: receiver.url, secret: SECRET })
    const { json } = await tollgate.call('POST', '/v1/webhook/test')
    expect(json).toMatchObject({ ok: false, status: 307, error: expect.stringContaining('redirect') })
    receiver.handler = (exchange) => exchange.reply(404, '')
    await crossCap()
    await vi.waitFor(async () =>
      expect((await view()).lastDelivery).toMatchObject({ status: 404, retryAt: null }),
    )
    expect(receiver.requests.map(({ path }) => path)).toEqual(['/', '/'])
  })
})

test('the webhook survives a restart, and is removed with its secret', async () => {
  await put({ url: receiver.url, secret: SECRET })
  await tollgate.restart()
  expect((await tollgate.call('POST', '/v1/webhook/test')).json.ok).toBe(true)
  expect((await tollgate.call('DELETE', '/v1/webhook')).json.url).toBeNull()
  expect(await credentials.get('#webhook')).toBeNull()
})

test.each(['http://example.org/hook', 'ftp://example.org', 'https://user:password@example.org', 'nowhere'])(
  '%s is refused as URL',
  async (url) => {
    const { status, json } = await put({ url })
    expect([status, json.error.param]).toEqual([400, 'url'])
  },
)
