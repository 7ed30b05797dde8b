import { describe, expect, test } from 'vitest'
import { replay } from '../../formats/anthropic-messages/testing/encode.ts'
import { readData, startTestGateway } from '../../testing/gateway.ts'
import { forTest } from '../../testing/lifetime.ts'
import { privateKeyLine, readAssertion, serviceAccountFile } from '../../upstream/testing/google-key.ts'
import {
  startTestUpstream,
  type TestExchange,
  type TestHandler,
} from '../../upstream/testing/test-upstream.ts'

const PROJECT = '/v1/projects/my-project/locations/europe-west4'
const TOKEN = 'canary-token-1'

const issueToken = (exchange: TestExchange) =>
  exchange.reply(200, { access_token: TOKEN, expires_in: 3599, token_type: 'Bearer' })

const geminiAnswer = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'Hello' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 1000, candidatesTokenCount: 100, totalTokenCount: 1100 },
  modelVersion: 'gemini-2.5-flash',
}

interface Stage {
  token?: TestHandler
  answer?: TestHandler
  id?: string
  publisher?: string
}

/** A gateway with the provider set up; tokens and answers come from one server. */
async function startVertex({ token = issueToken, answer, id = 'vertex', publisher = 'google' }: Stage) {
  const upstream = await forTest(
    startTestUpstream((exchange) => {
      const { path } = exchange.request
      if (path === '/token') return token(exchange)
      if (path === `${PROJECT}/models?pageSize=1`) return exchange.reply(200, {})
      return answer ? answer(exchange) : exchange.reply(200, geminiAnswer)
    }),
  )
  const gateway = await forTest(startTestGateway())
  const body = {
    baseUrl: `${upstream.url}${PROJECT}/publishers/${publisher}`,
    credential: serviceAccountFile(`${upstream.url}/token`),
  }
  const put = await gateway.call('PUT', `/v1/providers/${id}`, { body })
  expect([put.status, put.text.includes(privateKeyLine)]).toEqual([200, false])
  const test = async () => (await gateway.call('POST', `/v1/providers/${id}/test`)).json
  return { gateway, upstream, test }
}

const tokensAsked = (upstream: { requests: { path: string }[] }) =>
  upstream.requests.filter(({ path }) => path === '/token').length

describe('Gemini with a service account', () => {
  test('calls carry one access token, and are charged exactly', async () => {
    const { gateway, upstream } = await startVertex({})
    const listed = await gateway.call('POST', '/v1/providers/vertex/models')
    const ids: string[] = listed.json.data.map((row: { id: string }) => row.id)
    expect(ids).toContain('gemini-2.5-flash')
    expect(ids.filter((id) => !id.startsWith('gemini-') || id.endsWith('-latest'))).toEqual([])

    const calls = [1, 2, 3].map(() => gateway.chat({ model: 'vertex/gemini-2.5-flash' }))
    for (const answer of await Promise.all(calls)) {
      expect(answer.json.choices[0].message.content).toBe('Hello')
      // 0.30 and 2.50 USD per million.
      expect(answer.headers.get('x-service-cost-usd')).toBe('0.000550')
    }
    expect(tokensAsked(upstream)).toBe(1)
    const [asked, ...others] = upstream.requests
    expect(readAssertion(asked?.body ?? '')).toMatchObject({
      iss: 'tollgate@my-project.iam.gserviceaccount.com',
      scope: 'https://www.googleapis.com/auth/cloud-platform',
    })
    expect(new Set(others.map(({ headers }) => headers.authorization))).toEqual(new Set([`Bearer ${TOKEN}`]))
    expect(upstream.requests.at(-1)?.path).toBe(
      `${PROJECT}/publishers/google/models/gemini-2.5-flash:generateContent`,
    )
  })

  test('calls that begin at once wait for the same token', async () => {
    const { gateway, upstream } = await startVertex({})
    const model = { provider: 'vertex', upstreamModel: 'gemini-2.5-flash' }
    await gateway.call('PUT', '/v1/models/flash', { body: model })
    const answers = await Promise.all([1, 2, 3, 4].map(() => gateway.chat({ model: 'flash' })))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(tokensAsked(upstream)).toBe(1)
  })

  test('a rejected key is reported with the message of Google, and without the key', async () => {
    const { gateway, test } = await startVertex({
      token: (exchange) =>
        exchange.reply(400, { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' }),
    })
    const result = await test()
    expect(result).toMatchObject({
      ok: false,
      error:
        'Google rejected the service account key (invalid_grant, Invalid JWT Signature). Check that the key was not deleted, and enter it again.',
    })
    await gateway.call('PUT', '/v1/models/gemini-2.5-flash', { body: { provider: 'vertex' } })
    const answer = await gateway.chat({ model: 'gemini-2.5-flash' })
    expect([answer.status, answer.json.error.code]).toEqual([502, 'upstream_credential'])
    expect(answer.text).not.toContain(privateKeyLine)
  })

  test.each([
    ['a fault', (exchange: TestExchange) => exchange.reply(503, 'unavailable')],
    ['a redirect', (exchange: TestExchange) => exchange.reply(302, '', { location: 'http://127.0.0.1:1/' })],
    ['a lost connection', (exchange: TestExchange) => exchange.reset()],
    ['an answer without a token', (exchange: TestExchange) => exchange.reply(200, {})],
  ])('%s of the token service is a failure, and the next call tries again', async (_, fail) => {
    let fails = true
    const { test, upstream } = await startVertex({
      token: (exchange) => (fails ? fail(exchange) : issueToken(exchange)),
    })
    const result = await test()
    expect(result).toMatchObject({ ok: false, error: expect.stringContaining('Google') })
    expect(upstream.requests.every(({ path }) => path === '/token')).toBe(true)
    fails = false
    expect(await test()).toMatchObject({ ok: true })
  })

  test('a key whose tokens would come from an unencrypted address is not used', async () => {
    const { gateway, test } = await startVertex({})
    const credential = serviceAccountFile('http://token.example/')
    await gateway.call('PUT', '/v1/providers/vertex', { body: { credential } })
    expect((await test()).error).toContain('token_uri')
  })

  test('what is no service account key is refused when it is entered', async () => {
    const { gateway } = await startVertex({})
    for (const credential of ['{"type":"service_account"}', 'AIzaSomething', '[]']) {
      const refused = await gateway.call('PUT', '/v1/providers/vertex', { body: { credential } })
      expect([refused.status, refused.json.error.param]).toEqual([400, 'credential'])
    }
  })
})

test('Claude is called with its version in the body and its date after @', async () => {
  const { gateway, upstream } = await startVertex({
    id: 'vertex-claude',
    publisher: 'anthropic',
    answer: (exchange) => {
      exchange.begin().raw(replay.text('stream'))
      exchange.end()
    },
  })
  await gateway.call('POST', '/v1/providers/vertex-claude/models')
  const answer = await gateway.chat({
    model: 'vertex-claude/claude-sonnet-4-5-20250929',
    stream: true,
    stream_options: { include_usage: true },
  })
  const events = readData(answer.text)
  expect(events.map((event) => event.choices?.[0]?.delta?.content ?? '').join('')).toBe('Grüße aus 東京 🚆')
  // 8 of input, 4 read from the cache and 7 of output, at 3, 0.30 and 15 USD per million.
  expect(events.find(({ usage }) => usage)?.usage.cost).toBe(0.0001302)
  const sent = upstream.requests.at(-1)
  expect(sent?.path).toBe(
    `${PROJECT}/publishers/anthropic/models/claude-sonnet-4-5%4020250929:streamRawPredict`,
  )
  expect(sent?.json()).toMatchObject({ anthropic_version: 'vertex-2023-10-16', stream: true })
  expect(sent?.json()).not.toHaveProperty('model')
})
