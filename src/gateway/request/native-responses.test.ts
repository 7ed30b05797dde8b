import { readFileSync } from 'node:fs'
import OpenAI from 'openai'
import { expect, it } from 'vitest'
import { startTestGateway } from '../testing/gateway.ts'
import { forFile } from '../testing/lifetime.ts'
import { startTestUpstream } from '../upstream/testing/test-upstream.ts'

const recorded = (name: string) =>
  readFileSync(new URL(`../formats/openai-responses/fixtures/${name}.txt`, import.meta.url), 'utf8')

const model = 'gpt-5'
/** $1 and $2 for a million tokens; 4 of 12 input tokens are read from the cache, at the price of input. */
const cost = (12 + 7 * 2) / 1e6

let client: OpenAI
const gateway = await forFile(startTestGateway())
const upstream = await forFile(
  startTestUpstream((exchange) => {
    const limits = {
      'x-codex-primary-used-percent': '12',
      'openai-processing-ms': '9',
      'openai-organization': 'org',
    }
    if (exchange.request.json().stream !== true) exchange.reply(200, recorded('plain'), limits)
    else exchange.begin().raw(recorded('stream')).end()
  }),
)
await gateway.addProvider('acme', `${upstream.url}/v1`, [model], { apiFormat: 'openai-responses' })
client = new OpenAI({ baseURL: `${gateway.baseUrl}/v1`, apiKey: gateway.admin, maxRetries: 0 })

it('passes a request of the provider’s own format through, byte for byte but for the model', async () => {
  const body = `{ "model" : "acme/${model}", "input": [{"role":"user","content":"Hi"}],  "top_p": 1.0, "text":{"verbosity":"low"} }`
  const headers = {
    'openai-beta': 'feature=v1',
    'openai-organization': 'that of the credential counts',
    'x-own': 'stays here',
  }
  const answer = await gateway.call('POST', '/v1/responses', { body, headers })
  expect(answer.status).toBe(200)
  const sent = upstream.requests.at(-1)
  expect(sent?.body).toBe(body.replace(`acme/${model}`, model))
  expect(sent?.path).toBe('/v1/responses')
  expect(sent?.headers).toMatchObject({
    'openai-beta': 'feature=v1',
    authorization: 'Bearer secret-of-acme',
  })
  expect(sent?.headers).not.toHaveProperty('x-own')
  expect(sent?.headers).not.toHaveProperty('openai-organization')
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'x-codex-primary-used-percent': '12',
    'openai-processing-ms': '9',
  })
  expect(answer.headers.get('openai-organization')).toBeNull()
  expect(answer.json.usage).toMatchObject({ input_tokens: 12, output_tokens: 7, cost })
  const { cost: _, ...usage } = answer.json.usage
  expect({ ...answer.json, usage }).toEqual(JSON.parse(recorded('plain')))
})

it('passes each event of a stream through, with the cost in the last one', async () => {
  const stream = await client.responses.create({ model, input: 'Hi', stream: true })
  const events: object[] = []
  for await (const event of stream) events.push(event)
  const expected = recorded('stream')
    .split('\n')
    .flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice('data: '.length))] : []))
  const last = expected.at(-1)
  last.response.usage.cost = cost
  expect(events).toEqual(expected)
  const [record] = await gateway.records()
  expect(record).toMatchObject({ costUsd: cost, usage: { input: 8, cacheRead: 4, output: 7, reasoning: 2 } })
})
