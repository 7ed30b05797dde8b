// Google's SDK, unchanged, at providers of every API format.

import { LLMock } from '@copilotkit/aimock'
import { type Content, type FunctionCall, GoogleGenAI, type Part } from '@google/genai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { API_FORMATS } from '../../shared/providers.ts'
import { startTestGateway, type TestGateway } from '../testing/gateway.ts'
import type { TestHandler } from '../upstream/testing/test-upstream.ts'
import { expectValid, models, serveFormat } from './testing/conversation.ts'

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

let gateway: TestGateway
let keys: string[]
const mock = new LLMock({ port: 0 })
beforeAll(async () => {
  gateway = await startTestGateway()
  const create = async (name: string) => (await gateway.createKey({ name, scope: 'full' })).secret
  keys = [await create('one'), await create('two')]
  const calls = ['get_weather', 'get_time'].map((name) => ({ name, arguments: '{"city":"Rom"}' }))
  const thought = { reasoning: 'I have tools for both.', reasoningSignature: 'c2lnbmVk' }
  mock.on({ userMessage: 'Weather', hasToolResult: false }, { toolCalls: calls, ...thought })
  mock.on({ userMessage: 'Weather', hasToolResult: true }, { content: 'Sunny at noon.' })
  mock.onMessage('tomorrow', { content: 'Rain.' })
  await mock.start()
})
afterAll(async () => {
  await mock.stop()
  await gateway.close()
})

/** Forwards each request to the mock, whose own journal has only the parsed request. */
const forward: TestHandler = async ({ request, response }) => {
  const answer = await fetch(mock.url + request.path, {
    method: request.method,
    headers: { 'content-type': 'application/json' },
    body: request.body,
  })
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
  response.end(Buffer.from(await answer.arrayBuffer()))
}

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
    // The mock has a finish reason of its own for calls.
    expect(answers.at(-1)?.candidates?.[0]?.finishReason).toMatch(/^(STOP|FUNCTION_CALL)$/)
    history = chat.getHistory()
    const parts = answers.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? [])
    const textOf = (thought: boolean) =>
      parts
        .filter((part) => (part.thought ?? false) === thought)
        .map(({ text }) => text ?? '')
        .join('')
    const turn = {
      calls: parts.flatMap(({ functionCall }) => functionCall ?? []),
      text: textOf(false),
      thoughts: textOf(true),
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
    try {
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
    } finally {
      await upstream.close()
    }
  })
})
