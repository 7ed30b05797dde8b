import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { APICallError, generateText, isStepCount, Output, streamText, tool } from 'ai'
import { describe, expect } from 'vitest'
import { z } from 'zod'
import { forFile } from '../gateway/testing/lifetime.ts'
import { MOCK_MODELS, startMockProviders } from './testing/mock-providers.ts'
import { getRejection } from './testing/rejection.ts'
import { addFailingModels, shareForFile } from './testing/upstream.ts'

const { test, tollgate, upstream } = await shareForFile('Client libraries')

await addFailingModels(tollgate, upstream)
const baseURL = `${tollgate.baseUrl}/v1`
const model = 'sandbox-small'
const prompt = 'What is the weather in Rome? [[sandbox:tool get_weather]]'
const City = z.object({ city: z.string() })

const provider = createOpenAICompatible({
  name: 'tollgate',
  baseURL,
  apiKey: tollgate.admin,
  includeUsage: true,
})

test('AI SDK: generateText and streamText, with usage', async () => {
  const plain = await generateText({ model: provider(model), prompt })
  const streamed = streamText({ model: provider(model), prompt })
  let text = ''
  for await (const part of streamed.textStream) text += part
  expect(text).toBe(plain.text)
  expect(await streamed.usage).toMatchObject({ totalTokens: plain.usage.totalTokens })
})

test('AI SDK: a tool loop, plain and streamed, and an object with a schema', async () => {
  const cities: string[] = []
  const tools = {
    get_weather: tool({
      description: 'Weather of a city',
      inputSchema: City,
      execute: async ({ city }) => {
        cities.push(city)
        return `Sunny in ${city}`
      },
    }),
  }
  const plain = await generateText({ model: provider(model), prompt, tools, stopWhen: isStepCount(3) })
  expect(plain.text.length).toBeGreaterThan(0)
  const streamed = streamText({ model: provider(model), prompt, tools, stopWhen: isStepCount(3) })
  expect((await streamed.text).length).toBeGreaterThan(0)
  expect(cities).toHaveLength(2)
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

test('AI SDK: errors are APICallErrors with status and message; an interrupted stream has an error part', async () => {
  for (const [name, status] of [
    ['none', 404],
    ['fails-503', 503],
  ] as const) {
    const error = await getRejection(generateText({ model: provider(name), prompt, maxRetries: 0 }))
    expect(APICallError.isInstance(error)).toBe(true)
    expect(error).toMatchObject({ statusCode: status, isRetryable: status === 503 })
  }
  const broken = streamText({ model: provider('breaks'), prompt, maxRetries: 0, onError: () => undefined })
  const parts: string[] = []
  for await (const part of broken.fullStream) parts.push(part.type)
  expect(parts).toContain('error')
})

await forFile(startMockProviders(tollgate))
const openai = createOpenAI({ baseURL: `${tollgate.baseUrl}/v1`, apiKey: tollgate.admin })

function weatherTools() {
  const cities: string[] = []
  const get_weather = tool({
    description: 'Weather of a city',
    inputSchema: City,
    execute: async ({ city }) => {
      cities.push(city)
      return `Sunny in ${city}`
    },
  })
  return { cities, tools: { get_weather } }
}

describe.each(Object.entries(MOCK_MODELS))('over %s', (format, model) => {
  const over = (text: string) => `AI SDK, OpenAI provider: ${text}, from a provider of the format ${format}`
  const ask = (more: { prompt: string }) => ({ model: openai(model), stopWhen: isStepCount(4), ...more })

  test(over('text, plain and streamed, with usage'), async () => {
    const plain = await generateText(ask({ prompt: 'Hi' }))
    expect([plain.text, plain.usage.inputTokens, plain.usage.outputTokens]).toEqual(['Hello.', 1000, 200])
    const streamed = streamText(ask({ prompt: 'Hi' }))
    expect(await streamed.text).toBe('Hello.')
    expect((await streamed.usage).totalTokens).toBe(1200)
  })

  test(over('a tool loop with references to earlier items, plain and streamed'), async () => {
    const prompt = 'The weather?'
    for (const providerOptions of [{}, { openai: { store: false } }]) {
      const { cities, tools } = weatherTools()
      const plain = await generateText({ ...ask({ prompt }), tools, providerOptions })
      expect([plain.text, plain.steps.length]).toEqual(['It is sunny.', 2])
      expect(plain.steps[0]?.reasoningText).toBe('I have a tool for it.')
      const streamed = streamText({ ...ask({ prompt }), tools, providerOptions })
      expect(await streamed.text).toBe('It is sunny.')
      expect(cities).toEqual(['Rome', 'Oslo', 'Rome', 'Oslo'])
    }
  })

  test(over('a conversation of several turns, and an object with a schema'), async () => {
    const first = await generateText(ask({ prompt: 'Hi' }))
    const messages = [
      { role: 'user' as const, content: 'Hi' },
      ...first.response.messages,
      { role: 'user' as const, content: 'Which city?' },
    ]
    const { output } = await generateText({
      model: openai(model),
      messages,
      output: Output.object({ schema: City }),
    })
    expect(output).toEqual({ city: 'Rome' })
  })
})

test('AI SDK, OpenAI provider: errors are APICallErrors, also in a stream', async () => {
  for (const [name, status] of [
    ['none', 404],
    ['fails-503', 503],
  ] as const) {
    const error = await getRejection(generateText({ model: openai(name), prompt: 'Hi', maxRetries: 0 }))
    expect(APICallError.isInstance(error)).toBe(true)
    expect(error).toMatchObject({ statusCode: status, isRetryable: status === 503 })
  }
  const broken = streamText({
    model: openai('breaks'),
    prompt: 'Hi',
    maxRetries: 0,
    onError: () => undefined,
  })
  const parts: unknown[] = []
  for await (const part of broken.fullStream) parts.push(part)
  expect(JSON.stringify(parts.filter((part) => Object(part).type === 'error'))).toContain('it broke')
})
