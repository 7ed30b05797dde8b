import { LLMock } from '@copilotkit/aimock'
import { afterAll, expect } from 'vitest'
import { forFile } from '../gateway/testing/lifetime.ts'
import { startProgram } from './testing/program.ts'
import { testSection } from './testing/rule.ts'

const test = testSection('Providers')

const tollgate = await forFile(startProgram())
const mock = new LLMock({ port: 0 })
mock.onMessage('hello', { content: 'Hi there' })
await mock.start()
afterAll(() => mock.stop())

const put = (id: string, body: object) => tollgate.call('PUT', `/v1/providers/${id}`, { body })
const list = async () => (await tollgate.call('GET', '/v1/providers')).json.data
const find = async (id: string) => (await list()).find((row: { id: string }) => row.id === id)
const models = async () =>
  (await tollgate.call('GET', '/v1/models')).json.data.map(({ id }: { id: string }) => id)

test('Known providers are listed before they are set up', async () => {
  const ids = (await list()).map(({ id }: { id: string }) => id)
  expect(ids).toEqual(expect.arrayContaining(['openai', 'anthropic', 'gemini', 'ollama', 'vllm']))
  expect(await find('openai')).toMatchObject({
    configured: false,
    apiFormat: 'openai-chat',
    hasCredential: false,
  })
})

test('PUT adds a provider; answers have hasCredential and never the credential', async () => {
  const { status, json, text } = await put('mine', {
    name: 'Mine',
    apiFormat: 'openai-chat',
    baseUrl: `${mock.url}/v1/`,
    credential: 'canary-credential-1',
    priority: 5,
    firstByteTimeoutMs: 1000,
    stallTimeoutMs: 2000,
    headers: { 'x-extra': 'canary-header' },
  })
  expect(status).toBe(200)
  expect(json).toMatchObject({
    id: 'mine',
    name: 'Mine',
    apiFormat: 'openai-chat',
    baseUrl: `${mock.url}/v1`,
    enabled: true,
    hasCredential: true,
    priority: 5,
    firstByteTimeoutMs: 1000,
    stallTimeoutMs: 2000,
    headerNames: ['x-extra'],
  })
  const everything = text + JSON.stringify(await list())
  expect(everything).not.toContain('canary')
})

test('An update keeps fields that it does not name; credential null deletes it', async () => {
  expect((await put('mine', { priority: 6 })).json).toMatchObject({
    name: 'Mine',
    priority: 6,
    hasCredential: true,
  })
  expect((await put('mine', { credential: null })).json.hasCredential).toBe(false)
  expect((await put('mine', { credential: 'canary-credential-2' })).json.hasCredential).toBe(true)
})

test('A model of a disabled provider is 404, which says where to enable it; the sandbox too', async () => {
  const refused = async (model: string) => {
    const { status, json } = await tollgate.chat({ model })
    expect([status, json.error.code, json.error.param]).toEqual([404, 'provider_disabled', 'model'])
    return json.error.message
  }
  expect((await put('sandbox', { enabled: false })).json).toMatchObject({ enabled: false })
  for (const model of ['sandbox-small', 'sandbox/sandbox-large'])
    expect(await refused(model)).toBe(
      `"${model}" is a model of the sandbox, which is disabled. Enable it under Providers to use it.`,
    )
  expect(await models()).not.toContain('sandbox-small')
  await tollgate.call('PUT', '/v1/models/nick', { body: { provider: 'mine' } })
  await put('mine', { enabled: false })
  for (const model of ['nick', 'mine/any'])
    expect(await refused(model)).toBe(
      `"${model}" is a model of Mine, which is disabled. Enable it under Providers to use it.`,
    )
  await put('openai', { credential: 'canary-credential-3', enabled: false })
  expect(await refused('gpt-5.5')).toContain('a model of OpenAI, which is disabled.')
  await tollgate.call('DELETE', '/v1/providers/openai')
  expect((await tollgate.chat({ model: 'gpt-5.5' })).json.error).toMatchObject({
    code: 'model_not_found',
    message: expect.stringContaining('set up OpenAI'),
  })
  await put('mine', { enabled: true })
  await put('sandbox', { enabled: true })
  expect((await tollgate.chat({})).status).toBe(200)
})

test('POST …/models reads the provider’s list, and its models can be used', async () => {
  const { status, json } = await tollgate.call('POST', '/v1/providers/mine/models')
  expect(status).toBe(200)
  expect(json.data.length).toBeGreaterThan(0)
  expect(await models()).toContain(json.data[0].id)
  expect((await find('mine')).modelCount).toBe(json.data.length)
  const answer = await tollgate.chat({
    model: json.data[0].id,
    messages: [{ role: 'user', content: 'hello' }],
  })
  expect(answer.json.choices[0].message.content).toBe('Hi there')
})

test('PUT rejects invalid and unknown fields', async () => {
  for (const [id, body, param] of [
    ['new', { apiFormat: 'openai-chat' }, 'baseUrl'],
    ['new', { apiFormat: 'openai-chat', baseUrl: 'https://x.example', name: 'a\u001b[2J' }, 'name'],
    ['new', { apiFormat: 'openai-chat', baseUrl: 'https://x.example', name: 'a\u202eb' }, 'name'],
    ['new', { baseUrl: 'https://x.example' }, 'apiFormat'],
    ['new', { apiFormat: 'soap', baseUrl: 'https://x.example' }, 'apiFormat'],
    ['new', { apiFormat: 'openai-chat', baseUrl: 'ftp://x.example' }, 'baseUrl'],
    ['new', { apiFormat: 'openai-chat', baseUrl: 'https://user:pass@x.example' }, 'baseUrl'],
    ['new', { apiFormat: 'openai-chat', baseUrl: 'https://x.example', apiKey: 'x' }, 'apiKey'],
    ['new', { apiFormat: 'openai-chat', baseUrl: 'https://x.example', priority: -1 }, 'priority'],
    ['new', { apiFormat: 'openai-chat', baseUrl: tollgate.baseUrl }, 'baseUrl'],
    ['sandbox', { baseUrl: 'https://x.example' }, 'baseUrl'],
    ['Odd%20Id', { apiFormat: 'openai-chat', baseUrl: 'https://x.example' }, 'id'],
    ['a%2Fb', { apiFormat: 'openai-chat', baseUrl: 'https://x.example' }, 'id'],
  ] as const) {
    const { status, json } = await put(id, body)
    expect([body, status, json.error?.param]).toEqual([body, 400, param])
  }
})

test('DELETE removes the provider and its models; an unknown one is 404; the sandbox cannot be removed', async () => {
  const before = await models()
  const gone = await tollgate.call('DELETE', '/v1/providers/mine')
  expect([gone.status, gone.json]).toEqual([200, { id: 'mine', deleted: true }])
  expect((await models()).length).toBeLessThan(before.length)
  expect((await tollgate.call('DELETE', '/v1/providers/mine')).status).toBe(404)
  expect((await tollgate.call('DELETE', '/v1/providers/sandbox')).status).toBe(400)
})
