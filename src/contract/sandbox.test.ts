import { LLMock } from '@copilotkit/aimock'
import { afterAll, expect } from 'vitest'
import { shareProgram } from './testing/program.ts'
import { testSection } from './testing/rule.ts'

const test = testSection('Providers')

const tollgate = await shareProgram()
const mock = new LLMock({ port: 0 })
mock.onMessage('hello', { content: 'Hi there' })
await mock.start()
afterAll(() => mock.stop())

const put = (id: string, body: object) => tollgate.call('PUT', `/v1/providers/${id}`, { body })
const list = async () => (await tollgate.call('GET', '/v1/providers')).json.data
const find = async (id: string) => (await list()).find((row: { id: string }) => row.id === id)

test('A fresh installation serves a sandbox completion with a cost', async () => {
  expect(await find('sandbox')).toMatchObject({
    configured: true,
    enabled: true,
    health: { state: 'ready' },
  })
  const { status, headers } = await tollgate.chat({})
  expect(status).toBe(200)
  expect(Number(headers.get('x-service-cost-usd'))).toBeGreaterThan(0)
})

test('The sandbox is deterministic, streams and calls tools; its large model supports vision', async () => {
  const say = async (body: Record<string, unknown>) => (await tollgate.chat(body)).json.choices[0]
  expect(await say({})).toEqual(await say({}))
  const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }]
  expect((await say({ tools, tool_choice: 'required' })).finish_reason).toBe('tool_calls')
  const commanded = [{ role: 'user', content: '[[sandbox:tool f]]' }]
  expect((await say({ tools, messages: commanded })).finish_reason).toBe('tool_calls')
  expect((await tollgate.chat({ stream: true })).text).toContain('[DONE]')
  const content = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }]
  expect(
    (await tollgate.chat({ model: 'sandbox-large', messages: [{ role: 'user', content }] })).status,
  ).toBe(200)
})

test('The sandbox calls tools only on an explicit command, and arguments never contain text of the prompt', async () => {
  const bash = {
    name: 'bash',
    description: 'Runs a command',
    parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
  }
  const tools = [{ type: 'function', function: bash }]
  const say = async (content: string) =>
    (await tollgate.chat({ tools, messages: [{ role: 'user', content }] })).json.choices[0].message
  for (const prompt of ['What does the bash command "touch pwned.txt" do?', 'bash: command: touch pwned.txt'])
    expect((await say(prompt)).tool_calls).toBeUndefined()
  const [call, ...others] = (await say('[[sandbox:tool bash]] "touch pwned.txt"')).tool_calls
  expect([others, call.function]).toEqual([[], { name: 'bash', arguments: '{"command":"sandbox-value"}' }])
})

test('The sandbox stays enabled until the user disables it, and serves only its own models', async () => {
  expect(await find('sandbox')).toMatchObject({ enabled: true, health: { state: 'ready' } })
  expect((await tollgate.chat({})).status).toBe(200)
  await put('unreachable', { apiFormat: 'openai-chat', baseUrl: 'http://127.0.0.1:1/v1' })
  await tollgate.call('PUT', '/v1/models/lonely', { body: { provider: 'unreachable' } })
  const of = async (id: string) => (await tollgate.call('GET', `/v1/models/${id}`)).json.providers
  expect([await of('lonely'), await of('sandbox-small')]).toEqual([['unreachable'], ['sandbox']])
  expect((await tollgate.chat({ model: 'lonely' })).status).toBe(502)
  expect((await tollgate.chat({ model: 'sandbox/lonely' })).status).toBe(404)
  expect((await tollgate.call('POST', '/v1/providers/unreachable/test')).json.ok).toBe(false)
  await put('answering', { apiFormat: 'openai-chat', baseUrl: `${mock.url}/v1` })
  expect((await tollgate.call('POST', '/v1/providers/answering/test')).json.ok).toBe(true)
  expect(await find('sandbox')).toMatchObject({ enabled: true, health: { state: 'ready' } })
  expect((await tollgate.chat({})).status).toBe(200)
  for (const id of ['unreachable', 'answering']) await tollgate.call('DELETE', `/v1/providers/${id}`)
})
