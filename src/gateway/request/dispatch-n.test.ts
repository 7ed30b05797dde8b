import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ChatRequest } from '../../shared/formats/chat.ts'
import { mayBeBilled, UpstreamFailure } from '../formats/chat/failure.ts'
import { openaiChat } from '../formats/openai-chat/codec.ts'
import { replayDefaults } from '../formats/testing/replay.ts'
import type { UpstreamAdapter } from '../upstream/adapter.ts'
import { fanOut } from '../upstream/fan-out.ts'
import { createAdapters } from '../upstream/http-adapter.ts'
import { listEvents, plainRequest } from '../upstream/testing/test-calls.ts'
import { testChunk, testCompletion, testTarget } from '../upstream/testing/test-upstream.ts'
import { createTarget, TestDispatch } from './testing/test-dispatch.ts'

let test: TestDispatch

beforeEach(() => {
  test = new TestDispatch()
})

afterEach(() => test.calls.close())

describe('n where the provider does not support it', () => {
  const noN = { quirks: { noN: true as const } }
  const three: ChatRequest = { ...plainRequest, n: 3 }

  it('is one call for each choice, merged, with the sum of usage', async () => {
    const server = await test.failingWith()
    const { answer } = await test.answered([createTarget(server, 'acme', noN)], { request: three })
    if (answer.kind !== 'plain') throw new Error('not plain')
    expect(answer.completion.choices.map(({ index }) => index)).toEqual([0, 1, 2])
    expect(answer.usage).toMatchObject({
      buckets: { input: 15, output: 9 },
      asChatUsage: { total_tokens: 24 },
    })
    expect(server.requests.map((request) => request.json().n)).toEqual([undefined, undefined, undefined])
  })

  it('streams every choice under its own index', async () => {
    const usage = { prompt_tokens: 2, completion_tokens: 1, total_tokens: 3 }
    const server = await test.calls.upstream((exchange) => {
      exchange.begin().data(testChunk({ role: 'assistant', content: 'a' }), testChunk({}, 'stop'))
      exchange.data({ ...testChunk({}), choices: [], usage }, '[DONE]').end()
    })
    const request = { ...three, stream: true }
    const { answer } = await test.answered([createTarget(server, 'acme', noN)], { request })
    if (answer.kind !== 'stream') throw new Error('not a stream')
    const events = await listEvents(answer)
    const indexes = events.flatMap((e) =>
      e.type === 'chunk' ? e.chunk.choices.map(({ index }) => index) : [],
    )
    expect(indexes.toSorted()).toEqual([0, 0, 1, 1, 2, 2])
    expect(events.slice(-2)).toMatchObject([
      { type: 'usage', usage: { buckets: { input: 6, output: 3 } } },
      { type: 'done' },
    ])
  })

  it('retries only the calls that failed', async () => {
    let calls = 0
    const server = await test.calls.upstream((exchange) => {
      calls += 1
      if (calls === 2) exchange.reply(429, { error: { message: 'slow down' } }, { 'retry-after': '0' })
      else exchange.reply(200, testCompletion(`choice ${calls}`))
    })
    const { answer, failed } = await test.answered([createTarget(server, 'acme', noN)], { request: three })
    if (answer.kind !== 'plain') throw new Error('not plain')
    expect(answer.completion.choices).toHaveLength(3)
    expect(answer.usage?.calls).toHaveLength(3)
    expect(server.requests).toHaveLength(4)
    expect(failed.flatMap(({ answered }) => answered)).toEqual([])
  })

  it('returns the answered choices when the others fail', async () => {
    let calls = 0
    const server = await test.calls.upstream((exchange) => {
      calls += 1
      if (calls > 2) exchange.reply(429, { error: { message: 'slow down' } }, { 'retry-after': '0' })
      else exchange.reply(200, testCompletion('Hi'))
    })
    const failure = await test.failed([createTarget(server, 'acme', noN)], { request: three })
    expect(failure.failure.status).toBe(429)
    expect(failure.failed.flatMap(({ answered }) => answered)).toHaveLength(2)
    expect(server.requests).toHaveLength(5)
  })

  it('may have been billed where streams had begun when one was refused', async () => {
    let calls = 0
    let begun = 0
    const othersBegan = Promise.withResolvers<void>()
    const server = await test.calls.upstream(async (exchange) => {
      calls += 1
      if (calls !== 3) exchange.begin().data(testChunk({ role: 'assistant', content: 'a' }))
      else await othersBegan.promise.then(() => exchange.reply(400, { error: { message: 'no' } }))
    })
    const adapter = createAdapters(test.calls.pool)('openai-chat')
    const send: UpstreamAdapter['send'] = async (call) => {
      const answer = await adapter.send(call)
      begun += 1
      if (begun === 2) othersBegan.resolve()
      return answer
    }
    const { failure } = await test.failed([createTarget(server, 'acme', noN)], {
      request: { ...three, stream: true },
      adapterFor: () => ({ ...adapter, send }),
    })
    expect(failure).toMatchObject({ kind: 'status', status: 400, partiallyAnswered: true })
    expect(mayBeBilled(failure)).toBe(true)
  })

  it('fails as a whole when one call does', async () => {
    let calls = 0
    const server = await test.calls.upstream((exchange) => {
      calls += 1
      exchange.begin().data(testChunk({ role: 'assistant', content: 'a' }))
      if (calls === 2) exchange.end()
    })
    const request = { ...three, stream: true }
    const { answer } = await test.answered([createTarget(server, 'acme', noN)], { request })
    if (answer.kind !== 'stream') throw new Error('not a stream')
    expect((await listEvents(answer)).at(-1)).toMatchObject({
      type: 'failed',
      failure: { kind: 'malformed' },
    })
  })
})

it('if the choices were served in several tiers, no price of one tier is applied to all', async () => {
  const target = testTarget('http://127.0.0.1:1', { quirks: { noN: true } })
  const request: ChatRequest = { model: 'x', n: 3, messages: [{ role: 'user', content: 'Hi' }] }
  const tiers = ['default', 'flex', 'default']
  const { signal } = new AbortController()
  const answer = await fanOut({ calls: 3, request, signal, answered: [] }, async () => {
    const body = { ...testCompletion('Hi'), service_tier: tiers.pop() }
    const read = openaiChat.plainAnswer(body, target, replayDefaults)
    if (read instanceof UpstreamFailure) throw read
    return read
  })
  expect(answer).toMatchObject({ kind: 'plain', usage: { otherTier: 'several', buckets: { input: 15 } } })
})
