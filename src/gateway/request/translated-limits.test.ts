import { expect, test } from 'vitest'
import { startTestGateway } from '../testing/gateway.ts'
import { forFile } from '../testing/lifetime.ts'
import { startTestUpstream, testCompletion } from '../upstream/testing/test-upstream.ts'

const gateway = await forFile(startTestGateway())
const upstream = await forFile(startTestUpstream((exchange) => exchange.reply(200, testCompletion('Hello.'))))
await gateway.addProvider('acme', `${upstream.url}/v1`, ['local'])

/** Sends the prompt. Resolves with the request to the model. */
async function send(model: object, prompt: string): Promise<unknown> {
  const pricing = { inputPerMillion: 1, outputPerMillion: 2 }
  await gateway.call('PUT', '/v1/models/local', { body: { provider: 'acme', pricing, ...model } })
  const messages = [{ role: 'user', content: prompt }]
  const effort = { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } }
  const body = { model: 'local', max_tokens: 32_000, messages, ...effort }
  const { status } = await gateway.call('POST', '/v1/messages', { body })
  expect(status).toBe(200)
  return upstream.requests.at(-1)?.json()
}

test('a request of another format asks for what fits after the prompt, and for no unknown effort', async () => {
  expect(await send({}, 'Hi')).toMatchObject({ max_tokens: 32_000 })
  expect(await send({ maxOutputTokens: 8_000 }, 'Hi')).toMatchObject({ max_tokens: 8_000 })
  const small = await send({ contextWindow: 20_000 }, 'word '.repeat(8_000))
  expect(small).toMatchObject({ max_tokens: expect.toSatisfy((limit) => limit > 6_000 && limit < 10_000) })
  expect(small).not.toHaveProperty('reasoning_effort')
  expect(await send({ contextWindow: 4_000 }, 'word '.repeat(8_000))).toMatchObject({ max_tokens: 1_024 })
  const capabilities = ['reasoning', 'streaming']
  expect(await send({ capabilities }, 'Hi')).toMatchObject({ reasoning_effort: 'high' })
})
