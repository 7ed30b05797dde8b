// Google's SDK, unchanged, at providers of every API format.

import { type Content, type FunctionCall, GoogleGenAI, type Part } from '@google/genai'
import { afterAll, describe, expect, it } from 'vitest'
import { API_FORMATS } from '../../shared/api/providers.ts'
import { startTestGateway } from '../testing/gateway.ts'
import { forFile } from '../testing/lifetime.ts'
import { expectValid, models, serveFormat } from './testing/conversation.ts'
import { createWeatherMock } from './testing/weather-mock.ts'

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

let keys: string[]
const { mock, forward } = createWeatherMock()
const gateway = await forFile(startTestGateway())
const create = async (name: string) => (await gateway.createKey({ name, scope: 'full' })).secret
keys = [await create('one'), await create('two')]
await mock.start()
afterAll(() => mock.stop())

interface Turn {
  calls: FunctionCall[]
  text: string
  thoughts: string
}

/** Two questions; the keys take turns, so that the gateway remembers no signature for the next request. */
async function converse(model: string, isStream: boolean): Promise<Turn[]> {
  let history: Content[] = []
  let requests = 0
  const turns: Turn[] = []
  async function ask(message: Part[]): Promise<Turn> {
    const apiKey = keys[requests % keys.length] ?? ''
    requests += 1
    const client = new GoogleGenAI({
      apiKey,
      httpOptions: { baseUrl: gateway.baseUrl, apiVersion: 'v1beta' },
    })
    const chat = client.chats.create({
      model,
      history,
      config: {
        systemInstruction: 'Be brief.',
        thinkingConfig: { includeThoughts: true, thinkingBudget: 1024 },
        tools: [
          {
            functionDeclarations: ['get_weather', 'get_time'].map((name) => ({
              name,
              parametersJsonSchema: { type: 'object', properties: { city: { type: 'string' } } },
            })),
          },
        ],
      },
    })
    const answers = []
    if (isStream) for await (const chunk of await chat.sendMessageStream({ message })) answers.push(chunk)
    else answers.push(await chat.sendMessage({ message }))
    expect(answers.at(-1)?.usageMetadata).toMatchObject({ cost: expect.any(Number) })
    // The mock has its own finish reason for calls.
    expect(answers.at(-1)?.candidates?.[0]?.finishReason).toMatch(/^(STOP|FUNCTION_CALL)$/)
    history = chat.getHistory()
    const parts = answers.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? [])
    const getText = (thought: boolean) =>
      parts
        .filter((part) => (part.thought ?? false) === thought)
        .map(({ text }) => text ?? '')
        .join('')
    const turn = {
      calls: parts.flatMap(({ functionCall }) => functionCall ?? []),
      text: getText(false),
      thoughts: getText(true),
    }
    turns.push(turn)
    return turn
  }
  const first = await ask([
    { text: 'Weather and time in this place?' },
    { inlineData: { mimeType: 'image/png', data: PIXEL } },
  ])
  await ask(
    first.calls.map(({ id, name = '' }) => ({
      functionResponse: { ...(id !== undefined && { id }), name, response: { output: 'sunny, noon' } },
    })),
  )
  await ask([{ text: 'And tomorrow?' }])
  return turns
}

describe.each(['plain', 'streamed'])('a chat with two parallel calls and an image, %s', (how) => {
  it.each(API_FORMATS)('through the %s format to a third-party mock', async (format) => {
    const upstream = await serveFormat(gateway, format, forward)
    const turns = await converse(models[format], how === 'streamed')
    expect(turns.map(({ text }) => text)).toEqual(['', 'Sunny at noon.', 'Rain.'])
    expect(turns[0]?.calls).toMatchObject([
      { name: 'get_weather', args: { city: 'Rom' } },
      { name: 'get_time', args: { city: 'Rom' } },
    ])
    expect(turns[0]?.thoughts).toBe('I have tools for both.')
    expect(upstream.requests).toHaveLength(3)
    for (const request of upstream.requests) {
      if (format !== 'gemini-generate' && how === 'streamed') expectValid(format, request)
      expect(request.body).toContain('iVBORw0KGgo')
    }
    // Signed reasoning comes back through the client.
    if (format === 'anthropic-messages') expect(upstream.requests[1]?.body).toContain('c2lnbmVk')
  })
})
