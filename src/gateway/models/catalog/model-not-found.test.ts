import { expect, it, test } from 'vitest'
import { startTestGateway } from '../../testing/gateway.ts'
import { forFile, forTest } from '../../testing/lifetime.ts'
import { startTestUpstream } from '../../upstream/testing/test-upstream.ts'
import { findSimilarId } from './model-not-found.ts'

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

const ids = ['gpt-4o', 'gpt-4o-mini', 'claude-sonnet-5-5', 'sandbox-small', 'meta-llama/llama-4-70b']

it.each([
  ['gpt4o', 'gpt-4o'],
  ['GPT-4o-Mini', 'gpt-4o-mini'],
  ['claude-sonet-5.5', 'claude-sonnet-5-5'],
  ['sandbox-smal', 'sandbox-small'],
  ['meta-llama/llama-4-7b', 'meta-llama/llama-4-70b'],
])('%s probably means %s', (wanted, id) => {
  expect(findSimilarId(wanted, ids)).toBe(id)
})

it.each(['o3', 'mistral-large', 'constructor', '', '-', 'x'.repeat(5000)])(
  '%s means none of them',
  (wanted) => {
    expect(findSimilarId(wanted, ids)).toBeNull()
  },
)

it('prefers the one with the fewest differences', () => {
  expect(findSimilarId('gpt-5.5', ['gpt-4o', 'gpt-5.4', 'gpt-5.5-mini'])).toBe('gpt-5.4')
})
