import { HumanMessage } from '@langchain/core/messages'
import { tool as langchainTool } from '@langchain/core/tools'
import { ChatOpenAI } from '@langchain/openai'
import { expect } from 'vitest'
import { z } from 'zod'
import { getRejection } from './testing/rejection.ts'
import { addFailingModels, shareForFile } from './testing/upstream.ts'

const { test, tollgate, upstream } = await shareForFile('Client libraries')
await addFailingModels(tollgate, upstream)

const baseURL = `${tollgate.baseUrl}/v1`
const model = 'sandbox-small'
const prompt = 'What is the weather in Rome? [[sandbox:tool get_weather]]'
const City = z.object({ city: z.string() })

const langchain = (name = model) =>
  new ChatOpenAI({ model: name, apiKey: tollgate.admin, configuration: { baseURL }, maxRetries: 0 })

test('LangChain: invoke and stream, with usage', async () => {
  const answer = await langchain().invoke(prompt)
  expect(answer.text.length).toBeGreaterThan(0)
  expect(answer.usage_metadata).toMatchObject({ total_tokens: expect.any(Number) })
  let text = ''
  for await (const chunk of await langchain().stream(prompt)) text += chunk.text
  expect(text).toBe(answer.text)
})

test('LangChain: tools and structured output', async () => {
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

test('LangChain: errors carry the status', async () => {
  expect(await getRejection(langchain('none').invoke(prompt))).toMatchObject({ status: 404 })
  expect(await getRejection(langchain('fails-503').invoke(prompt))).toMatchObject({ status: 503 })
})
