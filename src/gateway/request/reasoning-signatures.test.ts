import { readFileSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../testing/gateway.ts'
import { forFile } from '../testing/lifetime.ts'
import { startTestUpstream } from '../upstream/testing/test-upstream.ts'

const MODEL = 'claude-sonnet-4-5'
const CALL_ID = 'toolu_01Plain'
const SIGNATURE = 'EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pkiMOYds'
const answer = readFileSync(
  new URL('../formats/anthropic-messages/fixtures/plain-thinking.txt', import.meta.url),
  'utf8',
)

const question = [{ role: 'user', content: 'Way to Bern?' }]
const answeredCall = [
  ...question,
  {
    role: 'assistant',
    tool_calls: [
      { id: CALL_ID, type: 'function', function: { name: 'find_route', arguments: '{"to":"Bern"}' } },
    ],
  },
  { role: 'tool', tool_call_id: CALL_ID, content: 'A1' },
]

const gateways: TestGateway[] = []

async function startGateway(): Promise<TestGateway> {
  const gateway = await startTestGateway()
  gateways.push(gateway)
  await gateway.addProvider('acme', `${upstream.url}/v1`, [MODEL], { apiFormat: 'anthropic-messages' })
  return gateway
}

/** Sends the history with the answered call, and returns whether the upstream received the signature. */
async function receivesSignature(gateway: TestGateway, secret: string): Promise<boolean> {
  const { status } = await gateway.chat({ model: MODEL, messages: answeredCall }, { as: secret })
  expect(status).toBe(200)
  return upstream.requests.at(-1)?.body.includes(SIGNATURE) ?? false
}

const upstream = await forFile(startTestUpstream((exchange) => exchange.reply(200, answer)))
afterAll(async () => {
  for (const gateway of gateways) await gateway.close()
})

test('a reasoning signature returns only for the API key that received it', async () => {
  const gateway = await startGateway()
  const first = await gateway.createKey({ name: 'first', scope: 'full' })
  const second = await gateway.createKey({ name: 'second', scope: 'full' })
  await gateway.chat({ model: MODEL, messages: question }, { as: first.secret })
  expect(await receivesSignature(gateway, second.secret)).toBe(false)
  expect(await receivesSignature(gateway, first.secret)).toBe(true)
})

test('two gateways in one process share no reasoning signatures', async () => {
  const [one, other] = [await startGateway(), await startGateway()]
  await one.chat({ model: MODEL, messages: question })
  expect(await receivesSignature(other, other.admin)).toBe(false)
})

test('clients of chat completions get no signed reasoning, plain or streamed', async () => {
  const gateway = await startGateway()
  const plain = await gateway.chat({ model: MODEL, messages: question })
  expect(plain.json.choices[0].message).toMatchObject({ reasoning_content: 'At the map.' })
  const recorded = readFileSync(
    new URL('../formats/anthropic-messages/fixtures/stream-thinking-tools.txt', import.meta.url),
  )
  const streams = await startTestUpstream((exchange) => exchange.begin().raw(recorded).end())
  await gateway.addProvider('acme', `${streams.url}/v1`, [MODEL], { apiFormat: 'anthropic-messages' })
  const streamed = await gateway.chat({ model: MODEL, messages: question, stream: true })
  expect(streamed.text).toContain('"reasoning_content":"at the map."')
  for (const { text } of [plain, streamed]) expect(text).not.toMatch(/signed_reasoning|EqQB/)
  await streams.close()
})
