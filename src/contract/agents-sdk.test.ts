import { Agent, OpenAIProvider, Runner, tool } from '@openai/agents'
import { describe, expect } from 'vitest'
import { z } from 'zod'
import { forFile } from '../gateway/testing/lifetime.ts'
import { MOCK_MODELS, startMockProviders } from './testing/mock-providers.ts'
import { getRejection } from './testing/rejection.ts'
import { shareSection } from './testing/upstream.ts'

const { test, tollgate } = await shareSection('Client libraries')
await forFile(startMockProviders(tollgate))

const runnerFor = (apiKey: string) =>
  new Runner({
    modelProvider: new OpenAIProvider({ baseURL: `${tollgate.baseUrl}/v1`, apiKey }),
    tracingDisabled: true,
  })

function weatherAgent(model: string) {
  const cities: string[] = []
  const weather = tool({
    name: 'get_weather',
    description: 'Weather of a city',
    parameters: z.object({ city: z.string() }),
    execute: ({ city }) => {
      cities.push(city)
      return 'sunny'
    },
  })
  return { cities, agent: new Agent({ name: 'Weather', instructions: 'Be brief.', model, tools: [weather] }) }
}

describe.each(Object.entries(MOCK_MODELS))('over %s', (format, model) => {
  test(`OpenAI Agents SDK: a tool loop with its default model class, plain and streamed, from a provider of the format ${format}`, async () => {
    const key = await tollgate.createKey({ name: 'agent', scope: 'completions-only' })
    const runner = runnerFor(key.secret)
    const plain = weatherAgent(model)
    expect((await runner.run(plain.agent, 'The weather?')).finalOutput).toBe('It is sunny.')
    const streamed = weatherAgent(model)
    const run = await runner.run(streamed.agent, 'The weather?', { stream: true })
    let text = ''
    for await (const piece of run.toTextStream()) text += piece
    await run.completed
    expect([text, run.finalOutput]).toEqual(['It is sunny.', 'It is sunny.'])
    expect([plain.cities, streamed.cities]).toEqual([
      ['Rome', 'Oslo'],
      ['Rome', 'Oslo'],
    ])
    const rows = (await tollgate.call('GET', `/v1/requests?key=${key.id}`)).json.data
    expect(rows).toHaveLength(4)
    expect((await tollgate.getKey(key.id)).spendUsd).toBe(4 * 0.0014)
  })
})

test('OpenAI Agents SDK: stops at the cap with our text', async () => {
  const { secret } = await tollgate.createKey({ name: 'capped', scope: 'full', spendLimitUsd: 0.0001 })
  const { agent, cities } = weatherAgent('sandbox-small')
  const question = `${'word '.repeat(1000)}What is the weather? [[sandbox:tool get_weather]]`
  const error = await getRejection(runnerFor(secret).run(agent, question))
  expect(error).toMatchObject({ status: 402, message: expect.stringContaining('is used up') })
  expect(cities).toHaveLength(1)
})
