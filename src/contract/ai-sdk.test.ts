import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { APICallError, generateText, isStepCount, Output, streamText, tool } from 'ai'
import { afterAll, expect } from 'vitest'
import { z } from 'zod'
import { startProgram } from './testing/program.ts'
import { getRejection } from './testing/rejection.ts'
import { rule } from './testing/rule.ts'
import { addFailingModels, startScriptedUpstream } from './testing/upstream.ts'

const tollgate = await startProgram()
const upstream = await startScriptedUpstream(tollgate)
await addFailingModels(tollgate, upstream)
afterAll(async () => {
  await tollgate.close()
  await upstream.close()
})

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

rule('Client libraries', 'AI SDK: generateText and streamText, with usage', async () => {
  const plain = await generateText({ model: provider(model), prompt })
  const streamed = streamText({ model: provider(model), prompt })
  let text = ''
  for await (const part of streamed.textStream) text += part
  expect(text).toBe(plain.text)
  expect(await streamed.usage).toMatchObject({ totalTokens: plain.usage.totalTokens })
})

rule('Client libraries', 'AI SDK: a tool loop, plain and streamed, and an object with a schema', async () => {
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

rule(
  'Client libraries',
  'AI SDK: errors are APICallErrors with status and message; an interrupted stream has an error part',
  async () => {
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
  },
)
