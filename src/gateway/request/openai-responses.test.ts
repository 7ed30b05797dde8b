import { readFileSync } from 'node:fs'
import OpenAI from 'openai'
import type { ChatCompletionMessageParam, ChatCompletionTool } from 'openai/resources'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readResponsesRequest } from '../formats/openai-responses/testing/request-schema.ts'
import { knownProviders } from '../models/providers/known-providers.ts'
import type { KnownProvider } from '../models/providers/provider-traits.ts'
import { startTestGateway } from '../testing/gateway.ts'
import { forFile } from '../testing/lifetime.ts'
import { startTestUpstream, type TestUpstream, testCompletion } from '../upstream/testing/test-upstream.ts'

const tools: ChatCompletionTool[] = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      parameters: { type: 'object', properties: { city: { type: 'string' } } },
    },
  },
]
const question: ChatCompletionMessageParam = { role: 'user', content: 'Weather in Rome?' }

let client: OpenAI
const gateway = await forFile(startTestGateway())
client = new OpenAI({ baseURL: `${gateway.baseUrl}/v1`, apiKey: gateway.admin, maxRetries: 0 })

/** The question, the model's calls as an application stores them, and their results. */
function afterCalls(message: OpenAI.ChatCompletionMessage | undefined): ChatCompletionMessageParam[] {
  const content = message?.content ?? null
  const tool_calls = (message?.tool_calls ?? []).flatMap((call) =>
    call.type === 'function' ? [{ id: call.id, type: call.type, function: call.function }] : [],
  )
  const results = tool_calls.map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: 'sunny' }))
  return [question, { role: 'assistant', content, tool_calls }, ...results]
}

describe('a model that chat completions let reason only without functions', () => {
  const model = 'gpt-5.5'
  const vendors = knownProviders as KnownProvider[]
  const known = vendors.length
  const recorded = (name: string) =>
    readFileSync(new URL(`../formats/openai-responses/fixtures/${name}.txt`, import.meta.url))
  let upstream: TestUpstream

  beforeAll(async () => {
    upstream = await startTestUpstream((exchange) => {
      const { path, body } = exchange.request
      if (path.endsWith('/chat/completions')) return exchange.reply(200, testCompletion('Hello'))
      const name = body.includes('function_call_output') ? 'stream' : 'stream-tools'
      exchange.begin().raw(recorded(name)).end()
    })
    const baseUrl = `${upstream.url}/v1`
    const row = { id: 'vendor', name: 'Vendor', baseUrl, needsCredential: true }
    vendors.push({ ...row, apiFormat: 'openai-chat', otherFormats: ['openai-responses'] })
    await gateway.addProvider('vendor', baseUrl, [model])
  })
  afterAll(async () => {
    vendors.splice(known)
    await upstream.close()
  })

  it('keeps its reasoning over a tool loop of a client of chat completions', async () => {
    const ask = (messages: ChatCompletionMessageParam[]) =>
      client.chat.completions.stream({ model, messages, tools }).finalChatCompletion()
    const asked = await ask([question])
    const message = asked.choices[0]?.message
    expect(message).toMatchObject({
      content: "I'll check the weather.",
      tool_calls: [{ id: 'call_62136354' }],
    })
    await ask(afterCalls(message))
    const [first, second] = upstream.requests
    expect(first?.path).toBe('/v1/responses')
    expect(first?.json()).not.toHaveProperty('reasoning')
    expect(second?.json().input).toMatchObject([
      { role: 'user' },
      { type: 'reasoning', encrypted_content: 'gAAAAABo5c2xHq0c' },
      { role: 'assistant', phase: 'commentary' },
      { type: 'reasoning', encrypted_content: 'gAAAAABo5c2xSecond' },
      { type: 'function_call' },
      { type: 'function_call_output' },
    ])
    for (const request of upstream.requests) readResponsesRequest(request.json())
  })

  it('gets chat completions where it may reason on them', async () => {
    await client.chat.completions.create({ model, messages: [question] })
    expect(upstream.requests.at(-1)?.path).toBe('/v1/chat/completions')
  })

  it('gets chat completions without reasoning from a server that the user added', async () => {
    await gateway.addProvider('own', `${upstream.url}/v1`, [])
    await client.chat.completions.create({ model: `own/${model}`, messages: [question], tools })
    const last = upstream.requests.at(-1)
    expect(last?.path).toBe('/v1/chat/completions')
    expect(last?.json()).toMatchObject({ reasoning_effort: 'none' })
  })
})
