import { zodFunction, zodResponseFormat } from 'openai/helpers/zod'
import { afterAll, expect } from 'vitest'
import { z } from 'zod'
import { openaiFor } from './testing/openai-client.ts'
import { startProgram } from './testing/program.ts'
import { rule } from './testing/rule.ts'

const tollgate = await startProgram()
afterAll(() => tollgate.close())

const openai = openaiFor(tollgate)
const model = 'sandbox-small'
const prompt = 'What is the weather in Rome? [[sandbox:tool get_weather]]'
const messages = [{ role: 'user' as const, content: prompt }]
const City = z.object({ city: z.string() })
const weather = {
  type: 'function' as const,
  function: { name: 'get_weather', description: 'Weather of a city', parameters: z.toJSONSchema(City) },
}

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
