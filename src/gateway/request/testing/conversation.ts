import { readFileSync } from 'node:fs'
import OpenAI from 'openai'
import type { ChatCompletionMessageParam, ChatCompletionTool } from 'openai/resources'
import { expect } from 'vitest'
import type { ApiFormat } from '../../../shared/api/providers.ts'
import { ChatRequest } from '../../../shared/formats/chat.ts'
import { readAnthropicRequest } from '../../formats/anthropic-messages/testing/request-schema.ts'
import { readConverseRequest } from '../../formats/bedrock-converse/testing/request-schema.ts'
import { readGeminiRequest } from '../../formats/gemini-generate/testing/request-schema.ts'
import { readResponsesRequest } from '../../formats/openai-responses/testing/request-schema.ts'
import type { TestGateway } from '../../testing/gateway.ts'
import { forTest } from '../../testing/lifetime.ts'
import {
  type RecordedRequest,
  startTestUpstream,
  type TestHandler,
  type TestUpstream,
} from '../../upstream/testing/test-upstream.ts'

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const tools: ChatCompletionTool[] = ['get_weather', 'get_time'].map((name) => ({
  type: 'function',
  function: {
    name,
    description: `Returns the ${name.slice(4)} of a city`,
    parameters: { type: 'object', properties: { city: { type: 'string' } }, additionalProperties: false },
  },
}))

export const models: Readonly<Record<ApiFormat, string>> = {
  'openai-chat': 'gpt-5',
  'openai-responses': 'gpt-5',
  'anthropic-messages': 'claude-opus-5',
  'gemini-generate': 'gemini-3.1-pro-preview',
  'bedrock-converse': 'us.amazon.nova-2-lite-v1:0',
}
const bases: Readonly<Record<ApiFormat, string>> = {
  'openai-chat': '/v1',
  'openai-responses': '/v1',
  'anthropic-messages': '/v1',
  'gemini-generate': '/v1beta',
  'bedrock-converse': '',
}

/** Throws unless the request is valid in its API format, by the vendor's types. */
export function expectValid(format: ApiFormat, request: RecordedRequest): void {
  const body = request.json()
  switch (format) {
    case 'openai-chat':
      expect(request.path).toBe('/v1/chat/completions')
      ChatRequest.parse(body)
      return
    case 'openai-responses':
      expect(request.path).toBe('/v1/responses')
      readResponsesRequest(body)
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
      return
    case 'bedrock-converse':
      expect(request.path).toBe(`/model/${encodeURIComponent(models['bedrock-converse'])}/converse-stream`)
      expect(request.headers).toMatchObject({
        authorization: 'Bearer secret-of-acme',
        accept: 'application/vnd.amazon.eventstream',
      })
      readConverseRequest(body)
  }
}

interface Turn {
  calls: { name: string; args: unknown }[]
  text: string
  reasoning: string
}

/** Three streamed turns, as an application has them: every call is answered, and the whole history is sent each time. */
export async function converse(gateway: TestGateway, model: string): Promise<Turn[]> {
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
    // Most applications store only the documented fields.
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

/** Starts an upstream of the format as the provider `acme`. */
export async function serveFormat(
  gateway: TestGateway,
  format: ApiFormat,
  handler: TestHandler,
): Promise<TestUpstream> {
  const upstream = await forTest(startTestUpstream(handler))
  await gateway.addProvider('acme', upstream.url + bases[format], [models[format]], {
    apiFormat: format,
    name: 'Acme',
  })
  return upstream
}

/** Answers as recorded in the format: with two tool calls, and with a text once the request has their results. */
export function replayTurns(format: ApiFormat): TestHandler {
  const recorded = (name: string) =>
    readFileSync(new URL(`../../formats/${format}/fixtures/${name}.txt`, import.meta.url))
  return (exchange) => {
    const hasResults = /tool_result|toolResult|functionResponse|function_call_output|"role":"tool"/.test(
      exchange.request.body,
    )
    exchange
      .begin()
      .raw(recorded(hasResults ? 'stream' : 'stream-parallel-tools'))
      .end()
  }
}
