import { readFileSync } from 'node:fs'
import { createServer as createTlsServer } from 'node:https'
import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { startTestGateway } from '../../testing/gateway.ts'
import { forFile } from '../../testing/lifetime.ts'
import { listen } from '../../testing/listen.ts'
import { startTestUpstream, type TestExchange } from '../../upstream/testing/test-upstream.ts'

const gateway = await forFile(startTestGateway())

async function serve(handler: (exchange: TestExchange) => void): Promise<string> {
  const upstream = await startTestUpstream(handler)
  onTestFinished(() => upstream.close())
  return upstream.url
}

/** A server with a list of models below `path`, for one key. */
const listBelow =
  (path: string, key?: string, message = 'Invalid API key') =>
  (exchange: TestExchange) => {
    const { request } = exchange
    if (request.path !== `${path}/models`) exchange.reply(404, { error: { message: 'Not found' } })
    else if (key !== undefined && request.headers.authorization !== `Bearer ${key}`)
      exchange.reply(401, { error: { message } })
    else exchange.reply(200, { data: [{ id: 'one' }, { id: 'two' }] })
  }

const attempt = async (body: object, id = 'mine') =>
  (await gateway.call('POST', `/v1/providers/${id}/try`, { body: { apiFormat: 'openai-chat', ...body } }))
    .json

const providers = async (): Promise<{ id: string; configured: boolean }[]> =>
  (await gateway.call('GET', '/v1/providers')).json.data

test('a provider is tested before it is saved, and nothing of it is stored', async () => {
  const url = await serve(listBelow('/v1', 'good'))
  expect(await attempt({ baseUrl: `${url}/v1`, credential: 'good' })).toMatchObject({
    ok: true,
    modelCount: 2,
  })
  expect((await providers()).some(({ id }) => id === 'mine')).toBe(false)
})

test('a stored credential is used unless another is tried, and stays as it was', async () => {
  const url = await serve(listBelow('/v1', 'good'))
  const path = '/v1/providers/stored'
  const body = { apiFormat: 'openai-chat', baseUrl: `${url}/v1`, credential: 'good' }
  await gateway.call('PUT', path, { body })
  onTestFinished(async () => void (await gateway.call('DELETE', path)))
  expect(await attempt({}, 'stored')).toMatchObject({ ok: true })
  expect(await attempt({ credential: 'wrong' }, 'stored')).toMatchObject({ ok: false })
  expect((await gateway.call('POST', `${path}/test`)).json).toMatchObject({ ok: true })
  expect(await attempt({ credentials: ['wrong', 'good'] }, 'stored')).toMatchObject({ ok: true })
})

test('a base URL without its path is reported, with the one that answers', async () => {
  const url = await serve(listBelow('/v1'))
  expect(await attempt({ baseUrl: url })).toMatchObject({
    ok: false,
    error: `GET ${url}/models answered 404. Check the base URL.`,
    suggestedBaseUrl: `${url}/v1`,
  })
  const other = await serve(listBelow('/api/v1', 'good'))
  const found = await attempt({ baseUrl: other, credential: 'wrong' })
  expect(found.suggestedBaseUrl).toBe(`${other}/api/v1`)
})

test('a base URL with a path that the server does not have is reported, with the one that answers', async () => {
  const url = await serve(listBelow(''))
  expect((await attempt({ baseUrl: `${url}/v1` })).suggestedBaseUrl).toBe(url)
})

test('without a base URL that answers, none is suggested', async () => {
  const url = await serve((exchange) => exchange.reply(404, {}))
  const result = await attempt({ baseUrl: `${url}/v1` })
  expect(result.error).toBe(`GET ${url}/v1/models answered 404. Check the base URL.`)
  expect(result).not.toHaveProperty('suggestedBaseUrl')
})

test('a rejected and a missing credential are told apart', async () => {
  const url = await serve(listBelow('/v1', 'good'))
  const baseUrl = `${url}/v1`
  expect(await attempt({ baseUrl, credential: 'wrong' })).toMatchObject({
    ok: false,
    error: 'The server rejected the API key (401).',
  })
  const message = 'You must be a member of an organization to use the API.'
  const other = await serve(listBelow('/v1', 'good', message))
  expect((await attempt({ baseUrl: `${other}/v1`, credential: 'wrong' })).error).toBe(
    `The server rejected the API key (401): ${message}`,
  )
  expect((await attempt({ baseUrl })).error).toBe('The server requires an API key (401). Enter one.')
})

test.each([
  [302, 'x', /answered with a redirect \(302\)\. Enter the URL that it leads to\.$/],
  [402, { error: { message: 'Top up.' } }, /^The account at the provider has no credit \(402\): Top up\.$/],
  [
    403,
    { error: { message: 'Not in your region.' } },
    /^The server refused access \(403\): Not in your region\.$/,
  ],
  [
    429,
    { error: { message: 'Slow down.' } },
    /limits requests at the moment \(429\): Slow down\. Try again later\.$/,
  ],
  [500, { error: { message: 'Broken.' } }, /^GET http.*\/v1\/models answered 500: Broken\.$/],
  [
    200,
    '<html>Welcome</html>',
    /answered with a web page or a text, not with a list of models\. Check the base URL\.$/,
  ],
  [200, { hello: 'world' }, /not a list of models\. Check the base URL and the API format\.$/],
])('a list that is answered %i with %j is explained', async (status, body, sentence) => {
  const url = await serve((exchange) =>
    exchange.reply(status, body, typeof body === 'string' ? { 'content-type': 'text/html' } : {}),
  )
  expect((await attempt({ baseUrl: `${url}/v1` })).error).toMatch(sentence)
})

test('a server that is not there is explained', async () => {
  expect((await attempt({ baseUrl: 'http://127.0.0.1:1/v1' })).error).toBe(
    'Nothing answers at 127.0.0.1:1. Is the server running, and is the port right?',
  )
  expect((await attempt({ baseUrl: 'http://127.0.0.1:1/v1' }, 'ollama')).error).toBe(
    'Nothing answers at 127.0.0.1:1. Is Ollama running?',
  )
  expect((await attempt({ baseUrl: 'http://no-such-host.invalid/v1' })).error).toBe(
    'The host no-such-host.invalid was not found. Check the base URL.',
  )
})

test('https at a server that speaks http leads to the base URL with http', async () => {
  const url = await serve(listBelow('/v1'))
  const result = await attempt({ baseUrl: url.replace('http:', 'https:') })
  expect(result.error).toContain('does not use https. Use a base URL that begins with http://.')
  expect(result.suggestedBaseUrl).toBe(`${url}/v1`)
})

test('http at a server that speaks https, whose certificate is not trusted, is explained', async () => {
  const read = (name: string) => readFileSync(new URL(`../../upstream/fixtures/${name}`, import.meta.url))
  const server = createTlsServer({ key: read('self-signed-key.pem'), cert: read('self-signed-cert.pem') })
  const port = await listen(server)
  onTestFinished(() => void server.close())
  expect((await attempt({ baseUrl: `http://127.0.0.1:${port}/v1` })).error).toMatch(
    /Check whether the base URL must begin with http:\/\/ or https:\/\/\.$/,
  )
  expect((await attempt({ baseUrl: `https://127.0.0.1:${port}/v1` })).error).toMatch(
    /certificate or handshake was not accepted .*Use a certificate that this computer trusts\.$/,
  )
})

test('a port that speaks neither is explained', async () => {
  const server = createServer((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'))
  const port = await listen(server)
  onTestFinished(() => void server.close())
  const { error } = await attempt({ baseUrl: `http://127.0.0.1:${port}/v1` })
  expect(error).toContain(`127.0.0.1:${port} closed the connection without an HTTP answer.`)
})

test('the address of a vendor is not searched for another', async () => {
  const { error, suggestedBaseUrl } = await attempt({ credential: 'x', apiFormat: undefined }, 'openai')
  expect(error).toBeDefined()
  expect(suggestedBaseUrl).toBeUndefined()
})

test('what cannot be saved cannot be tried', async () => {
  const refused = async (id: string, body: object) => {
    const { status, json } = await gateway.call('POST', `/v1/providers/${id}/try`, { body })
    return [status, json.error.param]
  }
  expect(await refused('new', { apiFormat: 'openai-chat' })).toEqual([400, 'baseUrl'])
  expect(await refused('sandbox', { baseUrl: 'https://x.example' })).toEqual([400, 'baseUrl'])
  expect(await refused('new', { apiFormat: 'openai-chat', baseUrl: gateway.baseUrl })).toEqual([
    400,
    'baseUrl',
  ])
})
