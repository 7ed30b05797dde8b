import { expect, test } from 'vitest'
import { startTestGateway } from '../../testing/gateway.ts'
import { forFile, forTest } from '../../testing/lifetime.ts'
import { startTestUpstream, testCompletion } from '../../upstream/testing/test-upstream.ts'

const tollgate = await forFile(startTestGateway())

test('a name of any length is refused, and not repeated', async () => {
  for (const model of ['😀'.repeat(1_000_000), `openai/${'x'.repeat(4_000_000)}`]) {
    const { status, json } = await tollgate.chat({ model })
    expect([status, json.error.code]).toEqual([404, 'model_not_found'])
    expect(json.error.message.length).toBeLessThan(400)
  }
})

test('the vendor that is set up, but does not list its model, is named', async () => {
  const upstream = await forTest(startTestUpstream())
  upstream.handler = (exchange) => exchange.reply(200, { data: [{ id: 'claude-haiku-4-5' }] })
  const hint = async () => (await tollgate.chat({ model: 'claude-opus-4-5' })).json.error.message
  await tollgate.addProvider('gemini', upstream.url, [], { apiFormat: 'gemini-generate' })
  expect(await hint()).toContain('It is a model of Anthropic: set up Anthropic under Providers')
  await tollgate.addProvider('anthropic', upstream.url, [], { apiFormat: 'anthropic-messages' })
  expect(await hint()).toContain('It is a model of Anthropic, which does not list it for your account.')
})

test('while the list of a vendor could not be read, its models are looked for there', async () => {
  const upstream = await forTest(startTestUpstream())
  upstream.handler = (exchange) => {
    if (exchange.request.method === 'GET') return exchange.reply(404, { error: { message: 'no such page' } })
    exchange.reply(200, testCompletion('Hi'))
  }
  const fresh = await forTest(startTestGateway())
  await fresh.addProvider('deepseek', upstream.url, [])
  const { status, json } = await fresh.chat({ model: 'deepseek-chat' })
  expect([status, json.choices?.[0].message.content]).toEqual([200, 'Hi'])
  const [record] = await fresh.records()
  expect(record).toMatchObject({ provider: 'deepseek', model: 'deepseek-chat', costStatus: 'exact' })
  expect((await fresh.chat({ model: 'claude-opus-4-5' })).status).toBe(404)
  upstream.handler = (exchange) => exchange.reply(200, { data: [{ id: 'deepseek-reasoner' }] })
  expect((await fresh.call('POST', '/v1/providers/deepseek/models')).status).toBe(200)
  expect((await fresh.chat({ model: 'deepseek-chat' })).json.error.message).toContain('does not list it')
})

test('a model with the name of its provider is no model of another vendor', async () => {
  const { json } = await tollgate.chat({ model: 'claude-plan/claude-sonnet-4-5' })
  expect(json.error.message).not.toContain('It is a model of')
})
