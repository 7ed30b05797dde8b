import Anthropic, {
  AuthenticationError,
  BadRequestError,
  NotFoundError,
  PaymentRequiredError,
  PermissionDeniedError,
  RateLimitError,
} from '@anthropic-ai/sdk'
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod'
import { expect } from 'vitest'
import { z } from 'zod'
import { shareSection } from './testing/upstream.ts'

const { test, tollgate } = await shareSection('Client libraries')

const anthropic = (apiKey = tollgate.admin) =>
  new Anthropic({ baseURL: tollgate.baseUrl, apiKey, maxRetries: 0 })
const model = 'sandbox-small'
const max_tokens = 500
const messages = [{ role: 'user' as const, content: 'Hello' }]
const calling = [
  { role: 'user' as const, content: 'What is the weather in Rome? [[sandbox:tool get_weather]]' },
]
const City = z.object({ city: z.string() })
const weather = {
  name: 'get_weather',
  description: 'Weather of a city',
  input_schema: { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] },
}

test('anthropic: a plain message, its request id, headers, usage and cost', async () => {
  const { data, response, request_id } = await anthropic()
    .messages.create({ model, max_tokens, system: 'Be brief.', messages })
    .withResponse()
  expect(data.content[0]).toMatchObject({ type: 'text', text: expect.stringMatching(/./) })
  expect(data.stop_reason).toBe('end_turn')
  expect(request_id).toBe(data.id)
  expect(response.headers.get('x-service-model')).toBe(model)
  const { costUsd, tokensIn, tokensOut } = await tollgate.getRecord(data.id)
  expect(data.usage).toMatchObject({ input_tokens: tokensIn, output_tokens: tokensOut, cost: costUsd })
})

test('anthropic: the .stream() helper, text and tool calls', async () => {
  const plain = await anthropic().messages.create({ model, max_tokens, messages })
  const stream = anthropic().messages.stream({ model, max_tokens, messages })
  const streamed = await stream.finalMessage()
  expect(streamed.content).toEqual(plain.content)
  expect(streamed.usage).toMatchObject({
    input_tokens: plain.usage.input_tokens,
    output_tokens: plain.usage.output_tokens,
  })
  const called = await anthropic()
    .messages.stream({ model, max_tokens, messages: calling, tools: [weather] })
    .finalMessage()
  expect(called.stop_reason).toBe('tool_use')
  expect(called.content.at(-1)).toMatchObject({ type: 'tool_use', name: 'get_weather', input: {} })
})

test('anthropic: the tool runner', async () => {
  const cities: string[] = []
  const tool = betaZodTool({
    name: 'get_weather',
    description: 'Weather of a city',
    inputSchema: City,
    run: ({ city }) => {
      cities.push(city)
      return 'sunny'
    },
  })
  const runner = anthropic().beta.messages.toolRunner({ model, max_tokens, messages: calling, tools: [tool] })
  const last = await runner.runUntilDone()
  expect(cities).toHaveLength(1)
  expect(last.content.at(-1)).toMatchObject({ type: 'text' })
})

test('anthropic: counting tokens, and the list of models', async () => {
  const { input_tokens: tokens } = await anthropic().messages.countTokens({ model, messages })
  expect(tokens).toBeGreaterThan(0)
  const invalid = { model, messages, metadata: { user_id: 5 } }
  const refused = await tollgate.call('POST', '/v1/messages/count_tokens', { body: invalid })
  expect(refused.json.error.message).toContain('metadata.user_id')
  const listed = await anthropic().models.list({ limit: 1000 })
  expect(listed.data).toContainEqual(
    expect.objectContaining({ type: 'model', id: model, display_name: expect.any(String) }),
  )
})

test('anthropic: errors are its classes, with our text', async () => {
  const readOnly = await tollgate.createKey({ name: 'r', scope: 'read-only' })
  const ask = (key: string, body: object = {}) =>
    anthropic(key).messages.create({ model, max_tokens, messages, ...body })
  await expect(ask('tg-wrong')).rejects.toThrow(AuthenticationError)
  await expect(ask(readOnly.secret)).rejects.toThrow(PermissionDeniedError)
  const missing = ask(tollgate.admin, { model: 'none-1' })
  await expect(missing).rejects.toThrow(NotFoundError)
  await expect(missing).rejects.toThrow('none-1')
  await expect(ask(tollgate.admin, { messages: [] })).rejects.toThrow(BadRequestError)
})

test('anthropic: at the cap 402, and at the rate limit 429 with the time to wait', async () => {
  const poor = await tollgate.createKey({ name: 'poor', scope: 'full', spendLimitUsd: 0 })
  const broke = anthropic(poor.secret).messages.create({ model, max_tokens, messages })
  await expect(broke).rejects.toThrow(PaymentRequiredError)
  await expect(broke).rejects.toMatchObject({
    type: 'billing_error',
    message: expect.stringContaining('Raise it in Tollgate'),
  })
  const slow = await tollgate.createKey({ name: 'slow', scope: 'full', rpmLimit: 1 })
  await anthropic(slow.secret).messages.create({ model, max_tokens, messages })
  const early = anthropic(slow.secret).messages.create({ model, max_tokens, messages })
  await expect(early).rejects.toThrow(RateLimitError)
  await expect(early).rejects.toMatchObject({ type: 'rate_limit_error' })
})

test('anthropic: threads are refused where there are none, in a way that it recovers from', async () => {
  const params = { model, max_tokens, unsupportedRequestBehavior: 'continue_unthreaded' as const }
  const thread = anthropic().beta.messages.thread(params)
  const reply = await thread.send({ role: 'user', content: 'Hello' })
  expect(reply.content[0]).toMatchObject({ type: 'text' })
  const refused = anthropic().beta.messages.create({
    model,
    max_tokens,
    messages,
    thread: { type: 'create' },
  })
  await expect(refused).rejects.toMatchObject({ errorCode: 'thread_unsupported_request' })
})

test('Claude Code: the check of the connection needs no key', async () => {
  expect((await tollgate.call('HEAD', '/api/hello', { as: '' })).status).toBe(200)
  expect((await tollgate.call('GET', '/api/hello', { as: '' })).json).toEqual({ message: 'hello' })
})
