import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../testing/gateway.ts'
import { startTestUpstream, type TestUpstream, testCompletion } from '../../upstream/testing/test-upstream.ts'
import { knownProviders } from './known-providers.ts'
import type { KnownProvider } from './provider-traits.ts'

const vendors = knownProviders as KnownProvider[]
/** Vendors at fixed addresses that serve OpenAI's chat completions. */
const clouds = knownProviders.filter(
  ({ apiFormat, needsCredential, hosting }) => apiFormat === 'openai-chat' && needsCredential && !hosting,
)
const at = new Map(clouds.map((row) => [row.id, vendors.indexOf(row)]))
let upstream: TestUpstream
let gateway: TestGateway

beforeAll(async () => {
  upstream = await startTestUpstream((exchange) => {
    const { path, headers } = exchange.request
    if (headers.authorization !== 'Bearer good') exchange.reply(401, { error: { message: 'No.' } })
    else if (path.endsWith('/models')) exchange.reply(200, { data: [{ id: 'some-model' }] })
    else exchange.reply(200, testCompletion('Hello'))
  })
  for (const row of clouds) {
    const { pathname } = new URL(row.baseUrl)
    vendors[at.get(row.id) ?? -1] = { ...row, baseUrl: upstream.url + (pathname === '/' ? '' : pathname) }
  }
  gateway = await startTestGateway()
})

afterAll(async () => {
  for (const row of clouds) vendors[at.get(row.id) ?? -1] = row
  await gateway.close()
  await upstream.close()
})

test('every known provider has an id of its own', () => {
  const ids = knownProviders.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
})

describe.each(clouds.map((row) => [row.name, row] as const))('%s', (_, row) => {
  const { id, baseUrl, consoleUrl = '' } = row
  const path = new URL(baseUrl).pathname.replace(/\/$/, '')

  test('is at https addresses', () => {
    expect(baseUrl).toMatch(/^https:\/\/[^/]+(\/.*[^/])?$/)
    expect(consoleUrl).toMatch(/^https:\/\//)
  })

  test('needs nothing but a key', async () => {
    const attempt = async (credential: string) =>
      (await gateway.call('POST', `/v1/providers/${id}/try`, { body: { credential } })).json
    expect(await attempt('wrong')).toMatchObject({
      ok: false,
      error: 'The server rejected the API key (401).',
    })
    expect(await attempt('good')).toMatchObject({ ok: true })
    expect(upstream.requests.at(-1)?.path).toBe(path + (row.modelsPath ?? '/models'))

    await gateway.call('PUT', `/v1/providers/${id}`, { body: { credential: 'good' } })
    const { json: listed } = await gateway.call('POST', `/v1/providers/${id}/models`)
    const model: string = listed.data[0].id
    const { status } = await gateway.chat({ model: `${id}/${model}`, max_tokens: 5 })
    expect(status).toBe(200)
    const sent = upstream.requests.at(-1)
    expect(sent?.path).toBe(`${path}/chat/completions`)
    expect(sent?.json()).toMatchObject({ model })
  })
})

test('Perplexity lists the models that chat completions have, not those of its agents', async () => {
  const { json } = await gateway.call('POST', '/v1/providers/perplexity/models')
  expect(json.data.map((row: { id: string }) => row.id)).toContain('sonar-pro')
})
