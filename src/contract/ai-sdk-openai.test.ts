import { createOpenAI } from '@ai-sdk/openai'
import { APICallError, generateText, isStepCount, Output, streamText, tool } from 'ai'
import { afterAll, describe, expect } from 'vitest'
import { z } from 'zod'
import { MOCK_MODELS, startMockProviders } from './testing/mock-providers.ts'
import { startProgram } from './testing/program.ts'
import { getRejection } from './testing/rejection.ts'
import { rule } from './testing/rule.ts'
import { breaks, fails, startScriptedUpstream } from './testing/upstream.ts'

const tollgate = await startProgram()
const mocks = await startMockProviders(tollgate)
const upstream = await startScriptedUpstream(tollgate)
await upstream.model('fails-503', fails(503))
await upstream.model('breaks', breaks)
afterAll(async () => {
  await tollgate.close()
  await mocks.close()
  await upstream.close()
})

const provider = createOpenAI({ baseURL: `${tollgate.baseUrl}/v1`, apiKey: tollgate.admin })
const City = z.object({ city: z.string() })

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
  const ask = (more: { prompt: string }) => ({ model: provider(model), stopWhen: isStepCount(4), ...more })

  rule('Client libraries', over('text, plain and streamed, with usage'), async () => {
    const plain = await generateText(ask({ prompt: 'Hi' }))
    expect([plain.text, plain.usage.inputTokens, plain.usage.outputTokens]).toEqual(['Hello.', 1000, 200])
    const streamed = streamText(ask({ prompt: 'Hi' }))
    expect(await streamed.text).toBe('Hello.')
    expect((await streamed.usage).totalTokens).toBe(1200)
  })

  rule(
    'Client libraries',
    over('a tool loop with references to earlier items, plain and streamed'),
    async () => {
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
    },
  )

  rule('Client libraries', over('a conversation of several turns, and an object with a schema'), async () => {
    const first = await generateText(ask({ prompt: 'Hi' }))
    const messages = [
      { role: 'user' as const, content: 'Hi' },
      ...first.response.messages,
      { role: 'user' as const, content: 'Which city?' },
    ]
    const { output } = await generateText({
      model: provider(model),
      messages,
      output: Output.object({ schema: City }),
    })
    expect(output).toEqual({ city: 'Rome' })
  })
})

rule('Client libraries', 'AI SDK, OpenAI provider: errors are APICallErrors, also in a stream', async () => {
  for (const [name, status] of [
    ['none', 404],
    ['fails-503', 503],
  ] as const) {
    const error = await getRejection(generateText({ model: provider(name), prompt: 'Hi', maxRetries: 0 }))
    expect(APICallError.isInstance(error)).toBe(true)
    expect(error).toMatchObject({ statusCode: status, isRetryable: status === 503 })
  }
  const broken = streamText({
    model: provider('breaks'),
    prompt: 'Hi',
    maxRetries: 0,
    onError: () => undefined,
  })
  const parts: unknown[] = []
  for await (const part of broken.fullStream) parts.push(part)
  expect(JSON.stringify(parts.filter((part) => Object(part).type === 'error'))).toContain('it broke')
})
