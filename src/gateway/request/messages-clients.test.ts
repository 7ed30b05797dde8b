// Official clients of Anthropic's Messages API, unchanged, at providers of every API format.

import { createAnthropic } from '@ai-sdk/anthropic'
import { generateText, isStepCount, streamText, tool } from 'ai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { API_FORMATS, type ApiFormat } from '../../shared/api/providers.ts'
import { startTestGateway } from '../testing/gateway.ts'
import { forFile } from '../testing/lifetime.ts'
import { converseInMessages } from './testing/anthropic-conversation.ts'
import { expectValid, models, replayTurns, serveFormat } from './testing/conversation.ts'
import { createWeatherMock, expectWeatherTurns } from './testing/weather-mock.ts'

let keys: string[]
const gateway = await forFile(startTestGateway())
const create = async (name: string) => (await gateway.createKey({ name, scope: 'full' })).secret
keys = [await create('one'), await create('two')]

const { mock, forward } = createWeatherMock()
beforeAll(() => mock.start())
afterAll(() => mock.stop())

/**
 * The members that prove that the reasoning of the recorded answer came back, though the gateway remembers none for the key.
 */
const SIGNATURES: Partial<Record<ApiFormat, string>> = {
  'openai-responses': 'gAAAAABo5c2xHq0c',
  'gemini-generate': 'CiQBveKPe1nQ0Yt4Ys6Yz5sQ0mVn',
}

describe('@anthropic-ai/sdk, a conversation of three turns with two parallel calls and an image, streamed', () => {
  it.each(API_FORMATS)('through the %s format to a third-party mock', async (format) => {
    const upstream = await serveFormat(gateway, format, forward)
    const turns = await converseInMessages(gateway, models[format], keys)
    expectWeatherTurns(turns)
    expect(turns[0]?.thinking).toBe('I have tools for both.')
    for (const request of upstream.requests) {
      if (format !== 'anthropic-messages') expectValid(format, request)
      expect(request.body).toContain('iVBORw0KGgo')
    }
    if (format === 'anthropic-messages')
      expect(upstream.requests[1]?.body).toContain('"signature":"c2lnbmVk"')
  })

  it.each(API_FORMATS)('through the %s format to recorded answers', async (format) => {
    const upstream = await serveFormat(gateway, format, replayTurns(format))
    const turns = await converseInMessages(gateway, models[format], keys)
    expect(turns.slice(1).map(({ text }) => text)).toEqual(Array(3).fill('Grüße aus 東京 🚆'))
    expect(turns[0]?.calls.length).toBeGreaterThan(1)
    if (format !== 'anthropic-messages') for (const request of upstream.requests) expectValid(format, request)
    expect(upstream.requests[1]?.body).toContain(SIGNATURES[format] ?? '')
  })
})

describe('@ai-sdk/anthropic, a tool loop with reasoning', () => {
  const tools = ['get_weather', 'get_time'].map((name) => [
    name,
    tool({
      description: `Returns the ${name.slice(4)} of a city`,
      inputSchema: z.object({ city: z.string() }),
      execute: async ({ city }) => `sunny, noon in ${city}`,
    }),
  ])
  const loop = (format: ApiFormat) => ({
    model: createAnthropic({ baseURL: `${gateway.baseUrl}/v1`, apiKey: keys[0] ?? '' })(models[format]),
    prompt: 'Weather and time in Rome?',
    tools: Object.fromEntries(tools),
    stopWhen: isStepCount(3),
    maxOutputTokens: 3000,
    maxRetries: 0,
    providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 1024 } } },
  })

  it.each(API_FORMATS)('through the %s format', async (format) => {
    const upstream = await serveFormat(gateway, format, forward)
    const plain = await generateText(loop(format))
    const streamed = streamText(loop(format))
    expect(plain.text).toBe('Sunny at noon.')
    expect(await streamed.text).toBe('Sunny at noon.')
    for (const steps of [plain.steps, await streamed.steps]) {
      expect(steps.map(({ toolCalls }) => toolCalls.length)).toEqual([2, 0])
      expect(steps[0]?.reasoningText).toBe('I have tools for both.')
    }
    expect(upstream.requests).toHaveLength(4)
  })
})
