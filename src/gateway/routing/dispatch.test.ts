import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ChatRequest } from '../../shared/chat.ts'
import type { Attempt } from '../../shared/requests.ts'
import type { ChatEvent } from '../formats/events.ts'
import type { Target } from '../formats/target.ts'
import { mayBeBilled } from '../formats/upstream-failure.ts'
import { systemClock } from '../platform/clock.ts'
import { CircuitBreakers } from '../upstream/circuit-breaker.ts'
import { UpstreamPool } from '../upstream/connection-pool.ts'
import {
  startTestUpstream,
  type TestHandler,
  type TestUpstream,
  testChunk,
  testCompletion,
  testTarget,
} from '../upstream/testing/test-upstream.ts'
import { DispatchFailure, type DispatchInput, dispatch } from './dispatch.ts'

const plain: ChatRequest = { model: 'x', messages: [{ role: 'user', content: 'Hi' }] }
const streamed: ChatRequest = { ...plain, stream: true }

let pool: UpstreamPool
let breakers: CircuitBreakers
let slept: number[]
let closing: (() => Promise<unknown>)[]

beforeEach(() => {
  pool = new UpstreamPool()
  breakers = new CircuitBreakers(systemClock)
  slept = []
  closing = []
})

afterEach(async () => {
  await pool.close()
  await Promise.all(closing.map((close) => close()))
})

async function upstream(handler: TestHandler): Promise<TestUpstream> {
  const started = await startTestUpstream(handler)
  closing.push(() => started.close())
  return started
}

/** Answers with the statuses in order, then with 200. */
async function failingWith(...statuses: number[]): Promise<TestUpstream> {
  return await upstream((exchange) => {
    const status = statuses.shift() ?? 200
    if (status === 200) exchange.reply(200, testCompletion('Hi'))
    else exchange.reply(status, { error: { message: `status ${status}` } })
  })
}

function input(targets: Target[], over: Partial<DispatchInput> = {}): DispatchInput {
  return {
    targets,
    request: plain,
    signal: new AbortController().signal,
    credentialFor: async () => 'secret-credential',
    clock: systemClock,
    random: () => 0,
    pool,
    breakers,
    sleep: async (ms) => {
      slept.push(ms)
    },
    ...over,
  }
}

const targetOf = (server: TestUpstream, providerId: string, over: Partial<Target> = {}): Target =>
  testTarget(server.url, { providerId, servedModel: `${providerId}-model`, ...over })

async function failing(promise: Promise<unknown>): Promise<DispatchFailure> {
  const error: unknown = await promise.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (!(error instanceof DispatchFailure)) throw new Error(`expected a DispatchFailure, got ${String(error)}`)
  return error
}

async function collect(events: AsyncIterable<ChatEvent>): Promise<ChatEvent[]> {
  const all: ChatEvent[] = []
  for await (const event of events) all.push(event)
  return all
}

const statuses = (attempts: Attempt[]) => attempts.map(({ provider, status }) => [provider, status])

describe('dispatch', () => {
  it('answers after two retries, with every attempt on record', async () => {
    const server = await failingWith(503, 429)
    const seen: Attempt[] = []
    const result = await dispatch(
      input([targetOf(server, 'acme')], { onAttempt: (attempt) => seen.push(attempt) }),
    )
    expect(result).toMatchObject({ answer: { kind: 'plain' }, target: { servedModel: 'acme-model' } })
    expect(result.attempts).toMatchObject([
      { provider: 'acme', model: 'acme-large', status: 503, error: 'status 503' },
      { provider: 'acme', status: 429 },
      { provider: 'acme', status: 200, error: null },
    ])
    expect(seen).toEqual(result.attempts)
    expect(slept).toEqual([500, 1000])
  })

  it('goes to the next target when one has failed three times', async () => {
    const [first, second] = [await failingWith(500, 500, 500, 500), await failingWith()]
    const result = await dispatch(input([targetOf(first, 'one'), targetOf(second, 'two')]))
    expect(result.target.providerId).toBe('two')
    expect(statuses(result.attempts)).toEqual([
      ['one', 500],
      ['one', 500],
      ['one', 500],
      ['two', 200],
    ])
  })

  it('fails with the last failure when all targets have', async () => {
    const [first, second] = [await failingWith(500, 500, 500), await failingWith(401)]
    const { failure, attempts } = await failing(
      dispatch(input([targetOf(first, 'one'), targetOf(second, 'two')])),
    )
    expect(failure).toMatchObject({ kind: 'status', status: 401 })
    expect(attempts).toHaveLength(4)
  })

  it('keeps every failure with its target: what is told last need not be what may be billed', async () => {
    let calls = 0
    const silent = await upstream((exchange) => {
      calls += 1
      if (calls > 1) exchange.reply(402, { error: { message: 'no credit' } })
    })
    const refusing = await failingWith(401)
    const targets = [
      targetOf(silent, 'one', { firstByteTimeoutMs: 30 }),
      targetOf(refusing, 'two', { firstByteTimeoutMs: 30 }),
    ]
    const { failure, failed } = await failing(dispatch(input(targets)))
    expect(failure.status).toBe(401)
    expect(failed.map(({ target, failure }) => [target.providerId, failure.kind, failure.status])).toEqual([
      ['one', 'timeout', null],
      ['one', 'status', 402],
      ['two', 'status', 401],
    ])
    expect(failed.map(({ failure }) => mayBeBilled(failure))).toEqual([true, false, false])
  })

  it('counts no try for a wait that was ended', async () => {
    const server = await failingWith(503)
    const abort = new AbortController()
    const sleep = async () => {
      abort.abort()
      throw new Error('ended')
    }
    const targets = [targetOf(server, 'acme')]
    const { failure, failed } = await failing(dispatch(input(targets, { signal: abort.signal, sleep })))
    expect(failure.kind).toBe('aborted')
    expect(failed.map((each) => each.failure.status)).toEqual([503])
  })

  it('asks nobody else when the request is at fault', async () => {
    const [first, second] = [await failingWith(422), await failingWith()]
    const { failure } = await failing(dispatch(input([targetOf(first, 'one'), targetOf(second, 'two')])))
    expect(failure.status).toBe(422)
    expect(second.requests).toHaveLength(0)
  })

  it('goes on at once when a credential is missing, refused or locked away', async () => {
    const [refusing, good] = [await failingWith(401), await failingWith()]
    const targets = [
      targetOf(good, 'missing'),
      targetOf(good, 'locked'),
      targetOf(refusing, 'refused'),
      targetOf(good, 'good'),
    ]
    const credentialFor = async (id: string) => {
      if (id === 'locked') throw new Error('keychain')
      return id === 'missing' ? null : 'secret-credential'
    }
    const { attempts } = await dispatch(input(targets, { credentialFor }))
    expect(statuses(attempts)).toEqual([
      ['missing', null],
      ['locked', null],
      ['refused', 401],
      ['good', 200],
    ])
    expect(slept).toEqual([])
    const only = await failing(dispatch(input([targetOf(good, 'locked')], { credentialFor })))
    expect(only.failure).toMatchObject({ kind: 'credential', code: 'credentials_unavailable' })
  })

  it('fails with words when there is no target at all', async () => {
    expect((await failing(dispatch(input([])))).attempts).toEqual([])
  })

  it('fails cleanly for an API format that does not exist', async () => {
    const server = await failingWith()
    const apiFormat = 'gopher' as Target['apiFormat']
    const { failure } = await failing(dispatch(input([targetOf(server, 'acme', { apiFormat })])))
    expect(failure.message).toContain('gopher')
    expect(server.requests).toHaveLength(0)
  })

  it('does not wait out a retry once the signal aborts', async () => {
    const server = await failingWith(503)
    const abort = new AbortController()
    const { sleep: _, ...real } = input([targetOf(server, 'acme')], {
      signal: abort.signal,
      random: () => 0.99,
    })
    const call = failing(dispatch({ ...real, onAttempt: () => abort.abort() }))
    expect((await call).failure.kind).toBe('aborted')
    expect(server.requests).toHaveLength(1)
  })

  it('tries a stream again that fails before its first chunk, and not after', async () => {
    let calls = 0
    const server = await upstream((exchange) => {
      calls += 1
      if (calls === 1)
        exchange
          .begin()
          .data({ error: { message: 'busy', code: 503 } })
          .end()
      else
        exchange
          .begin()
          .data(testChunk({ role: 'assistant', content: 'Hi' }))
          .end()
    })
    const { answer, attempts } = await dispatch(input([targetOf(server, 'acme')], { request: streamed }))
    if (answer.kind !== 'stream') throw new Error('not a stream')
    expect(statuses(attempts)).toEqual([
      ['acme', 503],
      ['acme', 200],
    ])
    expect((await collect(answer.events)).at(-1)).toMatchObject({
      type: 'failed',
      failure: { kind: 'malformed' },
    })
    expect(attempts.at(-1)?.error).toContain('ended before the answer was complete')
    expect(calls).toBe(2)
  })

  it('asks the next provider for a model that the first one lacks', async () => {
    const [first, second] = [await failingWith(404), await failingWith()]
    const { target } = await dispatch(input([targetOf(first, 'one'), targetOf(second, 'two')]))
    expect(target.providerId).toBe('two')
  })

  it('tells of the failure that may pass, not of a fallback whose format lacks a field', async () => {
    const busy = await failingWith(503, 503, 503)
    const targets = [targetOf(busy, 'one'), targetOf(busy, 'two', { apiFormat: 'anthropic-messages' })]
    const request: ChatRequest = { ...plain, tools: [{ type: 'custom', custom: { name: 'x' } }] }
    const { failure } = await failing(dispatch(input(targets, { request })))
    expect(failure.status).toBe(503)
  })

  it('tries a resting provider last, and takes it back after a success', async () => {
    const [first, second] = [await failingWith(500, 500, 500, 500, 500, 500), await failingWith()]
    const targets = [targetOf(first, 'one'), targetOf(second, 'two')]
    await dispatch(input(targets))
    await dispatch(input(targets))
    expect(breakers.state('one')).toMatchObject({ state: 'open', lastError: 'status 500' })
    expect((await dispatch(input(targets))).attempts).toHaveLength(1)
    const alone = await dispatch(input([targetOf(first, 'one')]))
    expect(alone.target.providerId).toBe('one')
    expect(breakers.state('one').state).toBe('closed')
  })

  it('counts a stream that breaks off against its provider', async () => {
    const server = await upstream((exchange) =>
      exchange
        .begin()
        .data(testChunk({ role: 'assistant' }))
        .end(),
    )
    for (let n = 0; n < 5; n += 1) {
      const { answer } = await dispatch(input([targetOf(server, 'acme')], { request: streamed }))
      if (answer.kind === 'stream') await collect(answer.events)
    }
    expect(breakers.state('acme').state).toBe('open')
  })

  it('answers from the sandbox without a credential', async () => {
    const target = testTarget('', {
      providerId: 'sandbox',
      apiFormat: 'sandbox',
      upstreamModel: 'sandbox-small',
      needsCredential: false,
    })
    const { answer } = await dispatch(
      input([target], { credentialFor: () => Promise.reject(new Error('not asked')) }),
    )
    expect(answer.kind).toBe('plain')
  })
})

describe('n where the provider has none', () => {
  const noN = { quirks: { noN: true as const } }
  const three: ChatRequest = { ...plain, n: 3 }

  it('is one call for each choice, merged, with the sum of usage', async () => {
    const server = await failingWith()
    const { answer } = await dispatch(input([targetOf(server, 'acme', noN)], { request: three }))
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
    const server = await upstream((exchange) => {
      exchange.begin().data(testChunk({ role: 'assistant', content: 'a' }), testChunk({}, 'stop'))
      exchange.data({ ...testChunk({}), choices: [], usage }, '[DONE]').end()
    })
    const request = { ...three, stream: true }
    const { answer } = await dispatch(input([targetOf(server, 'acme', noN)], { request }))
    if (answer.kind !== 'stream') throw new Error('not a stream')
    const events = await collect(answer.events)
    const indexes = events.flatMap((e) =>
      e.type === 'chunk' ? e.chunk.choices.map(({ index }) => index) : [],
    )
    expect(indexes.toSorted()).toEqual([0, 0, 1, 1, 2, 2])
    expect(events.slice(-2)).toMatchObject([
      { type: 'usage', usage: { buckets: { input: 6, output: 3 } } },
      { type: 'done' },
    ])
  })

  it('makes only the calls anew that failed', async () => {
    let calls = 0
    const server = await upstream((exchange) => {
      calls += 1
      if (calls === 2) exchange.reply(429, { error: { message: 'slow down' } }, { 'retry-after': '0' })
      else exchange.reply(200, testCompletion(`choice ${calls}`))
    })
    const { answer, failed } = await dispatch(input([targetOf(server, 'acme', noN)], { request: three }))
    if (answer.kind !== 'plain') throw new Error('not plain')
    expect(answer.completion.choices).toHaveLength(3)
    expect(answer.usage?.calls).toHaveLength(3)
    expect(server.requests).toHaveLength(4)
    expect(failed.flatMap(({ answered }) => answered)).toEqual([])
  })

  it('gives back what was answered when the rest never is', async () => {
    let calls = 0
    const server = await upstream((exchange) => {
      calls += 1
      if (calls > 2) exchange.reply(429, { error: { message: 'slow down' } }, { 'retry-after': '0' })
      else exchange.reply(200, testCompletion('Hi'))
    })
    const failure = await failing(dispatch(input([targetOf(server, 'acme', noN)], { request: three })))
    expect(failure.failure.status).toBe(429)
    expect(failure.failed.flatMap(({ answered }) => answered)).toHaveLength(2)
    expect(server.requests).toHaveLength(5)
  })

  it('may have been billed where streams had begun when one was refused', async () => {
    let calls = 0
    const server = await upstream(async (exchange) => {
      calls += 1
      if (calls !== 3) exchange.begin().data(testChunk({ role: 'assistant', content: 'a' }))
      else setTimeout(() => exchange.reply(400, { error: { message: 'no' } }), 100)
    })
    const request = { ...three, stream: true }
    const { failure } = await failing(dispatch(input([targetOf(server, 'acme', noN)], { request })))
    expect(failure).toMatchObject({ kind: 'status', status: 400, begun: true })
    expect(mayBeBilled(failure)).toBe(true)
  })

  it('fails as a whole when one call does', async () => {
    let calls = 0
    const server = await upstream((exchange) => {
      calls += 1
      exchange.begin().data(testChunk({ role: 'assistant', content: 'a' }))
      if (calls === 2) setTimeout(() => exchange.end(), 20)
    })
    const request = { ...three, stream: true }
    const { answer } = await dispatch(input([targetOf(server, 'acme', noN)], { request }))
    if (answer.kind !== 'stream') throw new Error('not a stream')
    expect((await collect(answer.events)).at(-1)).toMatchObject({
      type: 'failed',
      failure: { kind: 'malformed' },
    })
  })
})
