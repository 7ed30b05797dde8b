import { readFileSync } from 'node:fs'
import { LLMock } from '@copilotkit/aimock'
import OpenAI from 'openai'
import type { ChatCompletionMessageParam, ChatCompletionTool } from 'openai/resources'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ChatRequest } from '../../shared/chat.ts'
import { API_FORMATS, type ApiFormat } from '../../shared/providers.ts'
import { readAnthropicRequest } from '../formats/anthropic-messages/testing/request-schema.ts'
import { readGeminiRequest } from '../formats/gemini-generate/testing/request-schema.ts'
import { startTestGateway, type TestGateway } from '../testing/gateway.ts'
import {
  type RecordedRequest,
  startTestUpstream,
  type TestHandler,
  type TestUpstream,
} from '../upstream/testing/test-upstream.ts'

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const tools: ChatCompletionTool[] = ['get_weather', 'get_time'].map((name) => ({
  type: 'function',
  function: {
    name,
    description: `Tells the ${name.slice(4)} of a city`,
    parameters: { type: 'object', properties: { city: { type: 'string' } }, additionalProperties: false },
  },
}))

const models: Readonly<Record<ApiFormat, string>> = {
  'openai-chat': 'gpt-5',
  'anthropic-messages': 'claude-opus-5',
  'gemini-generate': 'gemini-3.1-pro-preview',
}
const bases: Readonly<Record<ApiFormat, string>> = {
  'openai-chat': '/v1',
  'anthropic-messages': '/v1',
  'gemini-generate': '/v1beta',
}

/** Throws unless the request is of its own API format, by the vendor's own types. */
function expectValid(format: ApiFormat, request: RecordedRequest): void {
  const body = request.json()
  switch (format) {
    case 'openai-chat':
      expect(request.path).toBe('/v1/chat/completions')
      ChatRequest.parse(body)
      return
    case 'anthropic-messages':
      expect(request.path).toBe('/v1/messages')
      expect(request.headers).toMatchObject({
        'x-api-key': 'secret-of-acme',
        'anthropic-version': '2023-06-01',
      })
      readAnthropicRequest(body)
      return
    case 'gemini-generate':
      expect(request.path).toBe(`/v1beta/models/${models['gemini-generate']}:streamGenerateContent?alt=sse`)
      expect(request.headers).toMatchObject({ 'x-goog-api-key': 'secret-of-acme' })
      readGeminiRequest(body)
  }
}

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.close())

interface Turn {
  calls: { name: string; args: unknown }[]
  text: string
  reasoning: string
}

/** Three turns, streamed, as an application holds them: every call answered, the whole history sent each time. */
async function converse(model: string): Promise<Turn[]> {
  const client = new OpenAI({ baseURL: `${gateway.baseUrl}/v1`, apiKey: gateway.admin, maxRetries: 0 })
  const messages: ChatCompletionMessageParam[] = [{ role: 'system', content: 'Be brief.' }]
  const turns: Turn[] = []
  const ask = async () => {
    const stream = client.chat.completions.stream({
      model,
      messages,
      tools,
      reasoning_effort: 'low',
      stream_options: { include_usage: true },
    })
    let reasoning = ''
    stream.on('chunk', ({ choices }) => {
      const delta: object = choices[0]?.delta ?? {}
      if ('reasoning_content' in delta) reasoning += String(delta.reasoning_content)
    })
    const completion = await stream.finalChatCompletion()
    expect(completion.usage?.total_tokens).toBeGreaterThan(0)
    const message = completion.choices[0]?.message
    if (!message) throw new Error('no message')
    // What most applications keep: the documented fields alone.
    const calls = (message.tool_calls ?? []).flatMap((call) =>
      call.type === 'function' ? [{ id: call.id, type: call.type, function: call.function }] : [],
    )
    messages.push({
      role: 'assistant',
      content: message.content,
      ...(calls.length > 0 && { tool_calls: calls }),
    })
    turns.push({
      calls: calls.map((call) => ({ name: call.function.name, args: JSON.parse(call.function.arguments) })),
      text: message.content ?? '',
      reasoning,
    })
    for (const call of calls) messages.push({ role: 'tool', tool_call_id: call.id, content: 'sunny, noon' })
    return calls.length
  }
  const questions: ChatCompletionMessageParam[] = [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Weather and time in this place?' },
        { type: 'image_url', image_url: { url: PIXEL } },
      ],
    },
    { role: 'user', content: 'And tomorrow?' },
    { role: 'user', content: 'Sum it up.' },
  ]
  for (const question of questions) {
    messages.push(question)
    while ((await ask()) > 0);
  }
  return turns
}

async function serve(format: ApiFormat, handler: TestHandler): Promise<TestUpstream> {
  const upstream = await startTestUpstream(handler)
  await gateway.addProvider('acme', upstream.url + bases[format], [models[format]], {
    apiFormat: format,
    name: 'Acme',
  })
  return upstream
}

describe('a conversation of three turns with two parallel calls and an image, streamed', () => {
  const mock = new LLMock({ port: 0 })
  const calls = [
    { name: 'get_weather', arguments: '{"city":"Rom"}' },
    { name: 'get_time', arguments: '{"city":"Rom"}' },
  ]
  beforeAll(async () => {
    const thought = { reasoning: 'I have tools for both.', reasoningSignature: 'c2lnbmVk' }
    mock.on({ userMessage: 'Weather', hasToolResult: false }, { toolCalls: calls, ...thought })
    mock.on({ userMessage: 'Weather', hasToolResult: true }, { content: 'Sunny at noon.' })
    mock.onMessage('tomorrow', { content: 'Rain.' })
    mock.onMessage('Sum', { content: 'Sun, then rain.' })
    await mock.start()
  })
  afterAll(() => mock.stop())

  /** Hands each request on to the mock and notes it: the mock's own journal keeps only its reading of it. */
  const passOn: TestHandler = async ({ request, response }) => {
    const answer = await fetch(mock.url + request.path, {
      method: request.method,
      headers: { 'content-type': 'application/json' },
      body: request.body,
    })
    const type = answer.headers.get('content-type') ?? ''
    response.writeHead(answer.status, { 'content-type': type })
    response.end(Buffer.from(await answer.arrayBuffer()))
  }

  it.each(API_FORMATS)('through the %s format to an upstream that others wrote', async (format) => {
    const upstream = await serve(format, passOn)
    try {
      const turns = await converse(models[format])
      expect(turns.map(({ text }) => text)).toEqual(['', 'Sunny at noon.', 'Rain.', 'Sun, then rain.'])
      expect(turns[0]?.calls).toEqual([
        { name: 'get_weather', args: { city: 'Rom' } },
        { name: 'get_time', args: { city: 'Rom' } },
      ])
      expect(turns[0]?.reasoning).toBe('I have tools for both.')
      expect(upstream.requests).toHaveLength(4)
      for (const request of upstream.requests) expectValid(format, request)
      const [first, second] = upstream.requests
      expect(first?.body).toContain('iVBORw0KGgo')
      if (format === 'anthropic-messages') {
        expect(first?.json()).toMatchObject({
          max_tokens: 1000,
          thinking: { type: 'adaptive' },
          output_config: { effort: 'low' },
        })
        expect(second?.body).toContain('"signature":"c2lnbmVk"')
      }
      if (format === 'gemini-generate') expect(first?.body).toContain('"thinkingLevel":"LOW"')
    } finally {
      await upstream.close()
    }
  })

  it.each(API_FORMATS)('through the %s format to recorded answers', async (format) => {
    const recorded = (name: string) =>
      readFileSync(new URL(`../formats/${format}/fixtures/${name}.txt`, import.meta.url))
    const upstream = await serve(format, (exchange) => {
      const isFirst = !/tool_result|functionResponse|"role":"tool"/.test(exchange.request.body)
      exchange
        .begin()
        .raw(recorded(isFirst ? 'stream-parallel-tools' : 'stream'))
        .end()
    })
    try {
      const turns = await converse(models[format])
      expect(turns.slice(1).map(({ text }) => text)).toEqual(Array(3).fill('Grüße aus 東京 🚆'))
      expect(turns[0]?.calls.length).toBeGreaterThan(1)
      for (const request of upstream.requests) expectValid(format, request)
      const signature = 'CiQBveKPe1nQ0Yt4Ys6Yz5sQ0mVn'
      if (format === 'gemini-generate') expect(upstream.requests.at(-1)?.body).toContain(signature)
    } finally {
      await upstream.close()
    }
  })
})

describe('a provider on an API format of its own', () => {
  it.each(['anthropic-messages', 'gemini-generate'] as const)(
    '%s is asked once for each of n choices',
    async (format) => {
      const plain = readFileSync(new URL(`../formats/${format}/fixtures/plain.txt`, import.meta.url), 'utf8')
      const upstream = await serve(format, (exchange) => exchange.reply(200, plain))
      try {
        const answer = await gateway.chat({ model: models[format], n: 3 })
        expect(answer.json.choices).toHaveLength(3)
        expect(answer.json.usage).toMatchObject({ prompt_tokens: 36, completion_tokens: 21 })
        expect(upstream.requests).toHaveLength(3)
      } finally {
        await upstream.close()
      }
    },
  )

  it.each([
    ['anthropic-messages', 'claude-opus-5', '/v1/models?limit=1000'],
    ['gemini-generate', 'gemini-2.5-flash', '/v1beta/models?pageSize=1000'],
  ] as const)('%s lists its models, page after page', async (format, model, path) => {
    const first = readFileSync(new URL(`../formats/${format}/fixtures/models.txt`, import.meta.url), 'utf8')
    const last =
      format === 'anthropic-messages'
        ? { data: [{ id: 'claude-last' }] }
        : { models: [{ name: 'models/gemini-last' }] }
    const upstream = await serve(format, ({ request, ...exchange }) => {
      exchange.response.setHeader('content-type', 'application/json')
      exchange.response.end(/after_id|pageToken/.test(request.path) ? JSON.stringify(last) : first)
    })
    try {
      const listed = (await gateway.call('POST', '/v1/providers/acme/models')).json.data
      const ids = listed.map((row: { id: string }) => row.id)
      expect(ids).toContain(model)
      expect(ids.at(-1)).toBe(format === 'anthropic-messages' ? 'claude-last' : 'gemini-last')
      expect(upstream.requests.map((request) => request.path)).toEqual([
        path,
        expect.stringContaining(`${path}&`),
      ])
    } finally {
      await upstream.close()
    }
  })

  it('refuses as the client’s fault what its format cannot say, and calls nobody', async () => {
    const upstream = await serve('anthropic-messages', (exchange) => exchange.reply(500, {}))
    try {
      const answer = await gateway.chat({
        model: models['anthropic-messages'],
        tools: [{ type: 'custom', custom: { name: 'x' } }],
      })
      expect(answer.status).toBe(400)
      expect(answer.json.error).toMatchObject({ type: 'invalid_request_error', param: 'tools' })
      expect(upstream.requests).toHaveLength(0)
    } finally {
      await upstream.close()
    }
  })
})
