import OpenAI from 'openai'
import { zodFunction, zodResponseFormat } from 'openai/helpers/zod'
import { expect } from 'vitest'
import { z } from 'zod'
import { CredentialStoreError } from '../gateway/models/providers/credential-store.ts'
import { createMemoryCredentials, startTestGateway } from '../gateway/testing/gateway.ts'
import { openaiFor } from './testing/openai-client.ts'
import { getRejection } from './testing/rejection.ts'
import { addFailingModels, shareForFile } from './testing/upstream.ts'

const { test, tollgate, upstream } = await shareForFile('Client libraries')

const openai = openaiFor(tollgate)
const model = 'sandbox-small'
const prompt = 'What is the weather in Rome? [[sandbox:tool get_weather]]'
const messages = [{ role: 'user' as const, content: prompt }]
const City = z.object({ city: z.string() })

const weather = {
  type: 'function' as const,
  function: { name: 'get_weather', description: 'Weather of a city', parameters: z.toJSONSchema(City) },
}

test('openai: a plain completion, its request id and headers', async () => {
  const { data, response, request_id } = await openai()
    .chat.completions.create({ model, messages })
    .withResponse()
  expect(data.choices[0]?.message.content?.length).toBeGreaterThan(0)
  expect(data.usage?.total_tokens).toBeGreaterThan(0)
  expect(request_id).toBe(data.id)
  expect(response.headers.get('x-service-model')).toBe(model)
})

test('openai: a stream, with usage', async () => {
  const stream = await openai().chat.completions.create({
    model,
    messages,
    stream: true,
    stream_options: { include_usage: true },
  })
  let text = ''
  let total = 0
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta.content ?? ''
    total = chunk.usage?.total_tokens ?? total
  }
  expect(text.length).toBeGreaterThan(0)
  expect(total).toBeGreaterThan(0)
})

test('openai: the strict .stream() helper, text and tool calls', async () => {
  const plain = await openai().chat.completions.create({ model, messages, n: 2 })
  const streamed = await openai()
    .chat.completions.stream({ model, messages, n: 2, stream_options: { include_usage: true } })
    .finalChatCompletion()
  expect(streamed.choices.map(({ message }) => message.content)).toEqual(
    plain.choices.map(({ message }) => message.content),
  )
  expect(streamed.usage).toEqual(plain.usage)
  const calling = openai().chat.completions.stream({ model, messages, tools: [weather] })
  const message = await calling.finalMessage()
  expect(message.tool_calls?.[0]).toMatchObject({ type: 'function', function: { name: 'get_weather' } })
})

test('openai: the tool runner, plain and streamed', async () => {
  const cities: string[] = []
  const runnable = zodFunction({
    name: 'get_weather',
    description: 'Weather of a city',
    parameters: City,
    function: ({ city }) => {
      cities.push(city)
      return `Sunny in ${city}`
    },
  })
  const plain = openai().chat.completions.runTools({ model, messages, tools: [runnable] })
  expect((await plain.finalContent())?.length).toBeGreaterThan(0)
  const streamed = openai().chat.completions.runTools({ model, messages, tools: [runnable], stream: true })
  expect((await streamed.finalContent())?.length).toBeGreaterThan(0)
  expect(cities).toHaveLength(2)
})

test('openai: json_schema answers parse into the schema', async () => {
  const Answer = z.object({ city: z.string(), degrees: z.number(), sky: z.enum(['clear', 'cloudy']) })
  const response_format = zodResponseFormat(Answer, 'weather')
  const { choices } = await openai().chat.completions.parse({ model, messages, response_format })
  expect(Answer.safeParse(choices[0]?.message.parsed).success).toBe(true)
})

test('openai: the model list', async () => {
  const ids: string[] = []
  for await (const { id } of openai().models.list()) ids.push(id)
  expect(ids).toContain(model)
  expect((await openai().models.retrieve(model)).id).toBe(model)
})

await addFailingModels(tollgate, upstream)
const baseURL = `${tollgate.baseUrl}/v1`

test('openai: invalid_request_error is a BadRequestError with param', async () => {
  const error = await getRejection(openai().chat.completions.create({ model, messages, temperature: 3 }))
  expect(error).toBeInstanceOf(OpenAI.BadRequestError)
  expect(error).toMatchObject({
    type: 'invalid_request_error',
    param: 'temperature',
    requestID: expect.stringMatching(/^req_/),
  })
})

test('openai: authentication_error is an AuthenticationError', async () => {
  const error = await getRejection(openai(`tg-${'x'.repeat(43)}`).models.list())
  expect(error).toBeInstanceOf(OpenAI.AuthenticationError)
  expect(error).toMatchObject({ type: 'authentication_error' })
})

test('openai: permission_error is a PermissionDeniedError', async () => {
  const { secret } = await tollgate.createKey({ name: 'reads', scope: 'read-only' })
  const error = await getRejection(openai(secret).chat.completions.create({ model, messages }))
  expect(error).toBeInstanceOf(OpenAI.PermissionDeniedError)
  expect(error).toMatchObject({ type: 'permission_error' })
})

test('openai: not_found_error is a NotFoundError', async () => {
  const error = await getRejection(openai().chat.completions.create({ model: 'none', messages }))
  expect(error).toBeInstanceOf(OpenAI.NotFoundError)
  expect(error).toMatchObject({ type: 'not_found_error', code: 'model_not_found' })
})

test('openai: insufficient_quota is an APIError with status 402, never retried', async () => {
  const { secret } = await tollgate.createKey({ name: 'broke', scope: 'full', spendLimitUsd: 0 })
  let calls = 0
  const counting = new OpenAI({
    baseURL,
    apiKey: secret,
    maxRetries: 3,
    fetch: (url, init) => {
      calls++
      return fetch(url, init)
    },
  })
  const error = await getRejection(counting.chat.completions.create({ model, messages }))
  expect(error).toBeInstanceOf(OpenAI.APIError)
  expect(error).toMatchObject({ status: 402, type: 'insufficient_quota', code: 'spend_limit_reached' })
  expect(calls).toBe(1)
})

test('openai: rate_limit_exceeded is a RateLimitError', async () => {
  const { secret } = await tollgate.createKey({ name: 'once', scope: 'full', rpmLimit: 1 })
  await openai(secret).chat.completions.create({ model, messages })
  const error = await getRejection(openai(secret).chat.completions.create({ model, messages }))
  expect(error).toBeInstanceOf(OpenAI.RateLimitError)
  expect(error).toMatchObject({ type: 'rate_limit_exceeded' })
})

test('openai: upstream_error is an InternalServerError, or an APIError with status 408', async () => {
  const [failed, late] = await Promise.all(
    ['fails-503', 'late'].map((name) =>
      getRejection(openai().chat.completions.create({ model: name, messages })),
    ),
  )
  expect(failed).toBeInstanceOf(OpenAI.InternalServerError)
  expect(failed).toMatchObject({ status: 503, type: 'upstream_error' })
  expect(late).toBeInstanceOf(OpenAI.APIError)
  expect(late).toMatchObject({ status: 408, type: 'upstream_error' })
})

test('openai: server_error is an InternalServerError', async () => {
  const locked = await startTestGateway({
    credentials: {
      ...createMemoryCredentials(),
      set: () => Promise.reject(new CredentialStoreError('The keychain is locked.')),
    },
  })
  const client = openaiFor(locked)()
  const error = await getRejection(client.put('/providers/openai', { body: { credential: 'a secret' } }))
  await locked.close()
  expect(error).toBeInstanceOf(OpenAI.InternalServerError)
  expect(error).toMatchObject({ type: 'server_error', message: expect.stringContaining('locked') })
})

test('openai: an error chunk in a stream is thrown as an APIError, by the plain stream and the helper', async () => {
  const stream = await openai().chat.completions.create({ model: 'breaks', messages, stream: true })
  let text = ''
  const error = await getRejection(
    (async () => {
      for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
    })(),
  )
  expect(text).toBe('Half')
  expect(error).toBeInstanceOf(OpenAI.APIError)
  expect(error).toMatchObject({ type: 'upstream_error' })
  const helper = openai().chat.completions.stream({ model: 'breaks', messages })
  expect(await getRejection(helper.finalChatCompletion())).toBeInstanceOf(OpenAI.APIError)
})
