import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { HumanMessage } from '@langchain/core/messages'
import { tool as langchainTool } from '@langchain/core/tools'
import { ChatOpenAI } from '@langchain/openai'
import { APICallError, generateText, isStepCount, Output, streamText, tool } from 'ai'
import OpenAI from 'openai'
import { zodFunction, zodResponseFormat } from 'openai/helpers/zod'
import { afterAll, expect } from 'vitest'
import { z } from 'zod'
import { CredentialStoreError } from '../gateway/providers/credential-store.ts'
import { createMemoryCredentials, startTestGateway } from '../gateway/testing/gateway.ts'
import { testChunk } from '../gateway/upstream/testing/test-upstream.ts'
import { startProgram } from './testing/program.ts'
import { rule } from './testing/rule.ts'
import { fails, startStage } from './testing/upstream.ts'

const tollgate = await startProgram()
const stage = await startStage(tollgate)
await stage.model('fails-503', fails(503))
await tollgate.call('PUT', '/v1/providers/slow-one', {
  body: { apiFormat: 'openai-chat', baseUrl: stage.url, firstByteTimeoutMs: 20 },
})
await stage.model('late', () => undefined, { provider: 'slow-one' })
await stage.model('breaks', (exchange) => {
  exchange
    .begin()
    .data(testChunk({ role: 'assistant', content: 'Half' }))
    .data({ error: { message: 'it broke' } })
    .end()
})
afterAll(async () => {
  await tollgate.close()
  await stage.close()
})

const baseURL = `${tollgate.baseUrl}/v1`
const openai = (apiKey = tollgate.admin) => new OpenAI({ baseURL, apiKey, maxRetries: 0 })
const model = 'sandbox-small'
const prompt = 'What is the weather in Rome? [[sandbox:tool get_weather]]'
const messages = [{ role: 'user' as const, content: prompt }]
const City = z.object({ city: z.string() })
const weather = {
  type: 'function' as const,
  function: { name: 'get_weather', description: 'Weather of a city', parameters: z.toJSONSchema(City) },
}
/** What a promise is rejected with. */
const thrown = (promise: PromiseLike<unknown>) =>
  Promise.resolve(promise).then(
    () => null,
    (error: unknown) => error,
  )

rule('Client libraries', 'openai: a plain completion, its request id and headers', async () => {
  const { data, response, request_id } = await openai()
    .chat.completions.create({ model, messages })
    .withResponse()
  expect(data.choices[0]?.message.content?.length).toBeGreaterThan(0)
  expect(data.usage?.total_tokens).toBeGreaterThan(0)
  expect(request_id).toBe(data.id)
  expect(response.headers.get('x-service-model')).toBe(model)
})

rule('Client libraries', 'openai: a stream, with usage', async () => {
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

rule('Client libraries', 'openai: the strict .stream() helper, text and tool calls', async () => {
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

rule('Client libraries', 'openai: the tool runner, plain and streamed', async () => {
  const asked: string[] = []
  const runnable = zodFunction({
    name: 'get_weather',
    description: 'Weather of a city',
    parameters: City,
    function: ({ city }) => {
      asked.push(city)
      return `Sunny in ${city}`
    },
  })
  const plain = openai().chat.completions.runTools({ model, messages, tools: [runnable] })
  expect((await plain.finalContent())?.length).toBeGreaterThan(0)
  const streamed = openai().chat.completions.runTools({ model, messages, tools: [runnable], stream: true })
  expect((await streamed.finalContent())?.length).toBeGreaterThan(0)
  expect(asked).toHaveLength(2)
})

rule('Client libraries', 'openai: json_schema answers parse into the schema', async () => {
  const Answer = z.object({ city: z.string(), degrees: z.number(), sky: z.enum(['clear', 'cloudy']) })
  const response_format = zodResponseFormat(Answer, 'weather')
  const { choices } = await openai().chat.completions.parse({ model, messages, response_format })
  expect(Answer.safeParse(choices[0]?.message.parsed).success).toBe(true)
})

rule('Client libraries', 'openai: the model list', async () => {
  const ids: string[] = []
  for await (const { id } of openai().models.list()) ids.push(id)
  expect(ids).toContain(model)
  expect((await openai().models.retrieve(model)).id).toBe(model)
})

rule('Client libraries', 'openai: invalid_request_error is a BadRequestError with param', async () => {
  const error = await thrown(openai().chat.completions.create({ model, messages, temperature: 3 }))
  expect(error).toBeInstanceOf(OpenAI.BadRequestError)
  expect(error).toMatchObject({
    type: 'invalid_request_error',
    param: 'temperature',
    requestID: expect.stringMatching(/^req_/),
  })
})

rule('Client libraries', 'openai: authentication_error is an AuthenticationError', async () => {
  const error = await thrown(openai(`tg-${'x'.repeat(43)}`).models.list())
  expect(error).toBeInstanceOf(OpenAI.AuthenticationError)
  expect(error).toMatchObject({ type: 'authentication_error' })
})

rule('Client libraries', 'openai: permission_error is a PermissionDeniedError', async () => {
  const { secret } = await tollgate.createKey({ name: 'reads', scope: 'read-only' })
  const error = await thrown(openai(secret).chat.completions.create({ model, messages }))
  expect(error).toBeInstanceOf(OpenAI.PermissionDeniedError)
  expect(error).toMatchObject({ type: 'permission_error' })
})

rule('Client libraries', 'openai: not_found_error is a NotFoundError', async () => {
  const error = await thrown(openai().chat.completions.create({ model: 'none', messages }))
  expect(error).toBeInstanceOf(OpenAI.NotFoundError)
  expect(error).toMatchObject({ type: 'not_found_error', code: 'model_not_found' })
})

rule(
  'Client libraries',
  'openai: insufficient_quota is an APIError with status 402, never retried',
  async () => {
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
    const error = await thrown(counting.chat.completions.create({ model, messages }))
    expect(error).toBeInstanceOf(OpenAI.APIError)
    expect(error).toMatchObject({ status: 402, type: 'insufficient_quota', code: 'spend_limit_reached' })
    expect(calls).toBe(1)
  },
)

rule('Client libraries', 'openai: rate_limit_exceeded is a RateLimitError', async () => {
  const { secret } = await tollgate.createKey({ name: 'once', scope: 'full', rpmLimit: 1 })
  await openai(secret).chat.completions.create({ model, messages })
  const error = await thrown(openai(secret).chat.completions.create({ model, messages }))
  expect(error).toBeInstanceOf(OpenAI.RateLimitError)
  expect(error).toMatchObject({ type: 'rate_limit_exceeded' })
})

rule(
  'Client libraries',
  'openai: upstream_error is an InternalServerError, or an APIError with status 408',
  async () => {
    const [failed, late] = await Promise.all(
      ['fails-503', 'late'].map((name) =>
        thrown(openai().chat.completions.create({ model: name, messages })),
      ),
    )
    expect(failed).toBeInstanceOf(OpenAI.InternalServerError)
    expect(failed).toMatchObject({ status: 503, type: 'upstream_error' })
    expect(late).toBeInstanceOf(OpenAI.APIError)
    expect(late).toMatchObject({ status: 408, type: 'upstream_error' })
  },
)

rule('Client libraries', 'openai: server_error is an InternalServerError', async () => {
  const locked = await startTestGateway({
    credentials: {
      ...createMemoryCredentials(),
      set: () => Promise.reject(new CredentialStoreError('The keychain is locked.')),
    },
  })
  const client = new OpenAI({ baseURL: `${locked.baseUrl}/v1`, apiKey: locked.admin, maxRetries: 0 })
  const error = await thrown(client.put('/providers/openai', { body: { credential: 'a secret' } }))
  await locked.close()
  expect(error).toBeInstanceOf(OpenAI.InternalServerError)
  expect(error).toMatchObject({ type: 'server_error', message: expect.stringContaining('locked') })
})

rule(
  'Client libraries',
  'openai: an error chunk in a stream is thrown as an APIError, by the plain stream and the helper',
  async () => {
    const stream = await openai().chat.completions.create({ model: 'breaks', messages, stream: true })
    let text = ''
    const error = await thrown(
      (async () => {
        for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
      })(),
    )
    expect(text).toBe('Half')
    expect(error).toBeInstanceOf(OpenAI.APIError)
    expect(error).toMatchObject({ type: 'upstream_error' })
    const helper = openai().chat.completions.stream({ model: 'breaks', messages })
    expect(await thrown(helper.finalChatCompletion())).toBeInstanceOf(OpenAI.APIError)
  },
)

const provider = createOpenAICompatible({
  name: 'tollgate',
  baseURL,
  apiKey: tollgate.admin,
  includeUsage: true,
})

rule('Client libraries', 'AI SDK: generateText and streamText, with usage', async () => {
  const plain = await generateText({ model: provider(model), prompt })
  const streamed = streamText({ model: provider(model), prompt })
  let text = ''
  for await (const part of streamed.textStream) text += part
  expect(text).toBe(plain.text)
  expect(await streamed.usage).toMatchObject({ totalTokens: plain.usage.totalTokens })
})

rule('Client libraries', 'AI SDK: a tool loop, plain and streamed, and an object with a schema', async () => {
  const asked: string[] = []
  const tools = {
    get_weather: tool({
      description: 'Weather of a city',
      inputSchema: City,
      execute: async ({ city }) => {
        asked.push(city)
        return `Sunny in ${city}`
      },
    }),
  }
  const plain = await generateText({ model: provider(model), prompt, tools, stopWhen: isStepCount(3) })
  expect(plain.text.length).toBeGreaterThan(0)
  const streamed = streamText({ model: provider(model), prompt, tools, stopWhen: isStepCount(3) })
  expect((await streamed.text).length).toBeGreaterThan(0)
  expect(asked).toHaveLength(2)
  const structured = createOpenAICompatible({
    name: 'tollgate',
    baseURL,
    apiKey: tollgate.admin,
    supportsStructuredOutputs: true,
  })
  const { output } = await generateText({
    model: structured(model),
    prompt,
    output: Output.object({ schema: City }),
  })
  expect(output.city.length).toBeGreaterThan(0)
})

rule(
  'Client libraries',
  'AI SDK: errors are APICallErrors with status and message; an interrupted stream has an error part',
  async () => {
    for (const [name, status] of [
      ['none', 404],
      ['fails-503', 503],
    ] as const) {
      const error = await thrown(generateText({ model: provider(name), prompt, maxRetries: 0 }))
      expect(APICallError.isInstance(error)).toBe(true)
      expect(error).toMatchObject({ statusCode: status, isRetryable: status === 503 })
    }
    const broken = streamText({ model: provider('breaks'), prompt, maxRetries: 0, onError: () => undefined })
    const parts: string[] = []
    for await (const part of broken.fullStream) parts.push(part.type)
    expect(parts).toContain('error')
  },
)

const langchain = (name = model) =>
  new ChatOpenAI({ model: name, apiKey: tollgate.admin, configuration: { baseURL }, maxRetries: 0 })

rule('Client libraries', 'LangChain: invoke and stream, with usage', async () => {
  const answer = await langchain().invoke(prompt)
  expect(answer.text.length).toBeGreaterThan(0)
  expect(answer.usage_metadata).toMatchObject({ total_tokens: expect.any(Number) })
  let text = ''
  for await (const chunk of await langchain().stream(prompt)) text += chunk.text
  expect(text).toBe(answer.text)
})

rule('Client libraries', 'LangChain: tools and structured output', async () => {
  const getWeather = langchainTool(({ city }) => `Sunny in ${city}`, {
    name: 'get_weather',
    description: 'Weather of a city',
    schema: City,
  })
  const called = await langchain()
    .bindTools([getWeather])
    .invoke([new HumanMessage(prompt)])
  const [call] = called.tool_calls ?? []
  expect(call?.name).toBe('get_weather')
  if (!call) throw new Error('no tool was called')
  const result = await getWeather.invoke({ ...call, type: 'tool_call' })
  const last = await langchain()
    .bindTools([getWeather])
    .invoke([new HumanMessage(prompt), called, result])
  expect(last.text.length).toBeGreaterThan(0)
  const structured = await langchain().withStructuredOutput(City, { method: 'jsonSchema' }).invoke(prompt)
  expect(City.safeParse(structured).success).toBe(true)
})

rule('Client libraries', 'LangChain: errors carry the status', async () => {
  expect(await thrown(langchain('none').invoke(prompt))).toMatchObject({ status: 404 })
  expect(await thrown(langchain('fails-503').invoke(prompt))).toMatchObject({ status: 503 })
})
