import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import type { ChatRequest } from '../../shared/formats/chat.ts'
import type { ChatEvent } from '../formats/chat/events.ts'
import { StreamNormalizer } from '../formats/chat/normalize.ts'
import { startTestUpstream } from '../upstream/testing/test-upstream.ts'
import { sandboxAdapter } from './adapter.ts'
import {
  answerEvents,
  answerText,
  createRequest,
  sandboxTarget,
  textOfEvents,
  weather,
} from './testing/ask-sandbox.ts'

describe('a sandbox stream', () => {
  it('is the plain answer in chunks, well-formed and complete', async () => {
    const all = await answerEvents(createRequest('Tell me about railways'))
    expect(textOfEvents(all)).toBe(await answerText(createRequest('Tell me about railways')))
    expect(all.filter((event) => event.type === 'chunk').length).toBeGreaterThan(20)
    expect(all.slice(-2).map((event) => event.type)).toEqual(['usage', 'done'])
    const normalizer = new StreamNormalizer({ id: 'x', created: 1, model: 'x' })
    for (const event of all) expect(normalizer.next(event)).toEqual([event])
  })

  it('ends when it is aborted', async () => {
    const abort = new AbortController()
    const result = await sandboxAdapter.send({
      target: sandboxTarget,
      request: createRequest('Hello', { stream: true }),
      signal: abort.signal,
    })
    if (result.kind !== 'stream') throw new Error('not a stream')
    let last: ChatEvent | undefined
    for await (const batch of result.events) {
      last = batch.at(-1)
      abort.abort()
    }
    expect(last).toMatchObject({ type: 'failed', failure: { kind: 'aborted' } })
  })

  it('satisfies the strict helper of the official SDK', async () => {
    const server = await startTestUpstream(async (exchange) => {
      exchange.begin()
      const request = exchange.request.json() as ChatRequest
      for (const event of await answerEvents(request)) if (event.type === 'chunk') exchange.data(event.chunk)
      exchange.data('[DONE]').end()
    })
    const client = new OpenAI({ apiKey: 'x', baseURL: server.url, maxRetries: 0 })
    const final = await client.chat.completions
      .stream({
        model: 'm',
        messages: [{ role: 'user', content: '[[sandbox:tool get_weather]]' }],
        tools: [weather],
      })
      .finalChatCompletion()
    expect(final.choices[0]?.message.tool_calls?.map((call) => call.type)).toEqual(['function'])
    await server.close()
  })
})
