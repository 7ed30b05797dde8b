import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ChatRequest } from '../../shared/formats/chat.ts'
import type { Target } from '../formats/chat/codec-types.ts'
import { mayBeBilled } from '../formats/chat/failure.ts'
import { listEvents, plainRequest, streamRequest } from '../upstream/testing/test-calls.ts'
import { testChunk, testTarget } from '../upstream/testing/test-upstream.ts'
import { createTarget, listStatuses, TestDispatch } from './testing/test-dispatch.ts'

let test: TestDispatch

beforeEach(() => {
  test = new TestDispatch()
})

afterEach(() => test.calls.close())

describe('dispatch', () => {
  it('answers after two retries, and records every attempt', async () => {
    const server = await test.failingWith(503, 429)
    const result = await test.answered([createTarget(server, 'acme')])
    expect(result).toMatchObject({
      answer: { kind: 'plain' },
      candidate: { target: { servedModel: 'acme-model' } },
    })
    expect(result.attempts).toMatchObject([
      { provider: 'acme', model: 'acme-large', status: 503, error: 'status 503' },
      { provider: 'acme', status: 429 },
      { provider: 'acme', status: 200, error: null },
    ])
    expect(test.slept).toEqual([500, 1000])
    const [first = 0, second = 0, third = 0] = result.attempts.map(({ startMs }) => startMs)
    expect(second - first).toBeGreaterThanOrEqual(500)
    expect(third - second).toBeGreaterThanOrEqual(1000)
  })

  it('calls the next target when one has failed three times', async () => {
    const [first, second] = [await test.failingWith(500, 500, 500, 500), await test.failingWith()]
    const result = await test.answered([createTarget(first, 'one'), createTarget(second, 'two')])
    expect(result.candidate.target.providerId).toBe('two')
    expect(listStatuses(result.attempts)).toEqual([
      ['one', 500],
      ['one', 500],
      ['one', 500],
      ['two', 200],
    ])
  })

  it('fails with the last failure when all targets have failed', async () => {
    const [first, second] = [await test.failingWith(500, 500, 500), await test.failingWith(401)]
    const { failure, attempts } = await test.failed([createTarget(first, 'one'), createTarget(second, 'two')])
    expect(failure).toMatchObject({ kind: 'status', status: 401 })
    expect(attempts).toHaveLength(4)
  })

  it('records every failure with its candidate: the reported one need not be the billable one', async () => {
    let calls = 0
    const cutting = await test.calls.upstream((exchange) => {
      calls += 1
      if (calls > 1) exchange.reply(402, { error: { message: 'no credit' } })
      else exchange.cut()
    })
    const refusing = await test.failingWith(401)
    const { failure, failed } = await test.failed([
      createTarget(cutting, 'one'),
      createTarget(refusing, 'two'),
    ])
    expect(failure.status).toBe(401)
    expect(
      failed.map(({ candidate, failure }) => [candidate.target.providerId, failure.kind, failure.status]),
    ).toEqual([
      ['one', 'network', null],
      ['one', 'status', 402],
      ['two', 'status', 401],
    ])
    expect(failed.map(({ failure }) => mayBeBilled(failure))).toEqual([true, false, false])
  })

  it('records no attempt for an aborted wait', async () => {
    const server = await test.failingWith(503)
    const abort = new AbortController()
    const delay = async () => {
      abort.abort()
      throw new Error('ended')
    }
    const targets = [createTarget(server, 'acme')]
    const { failure, failed } = await test.failed(targets, { signal: abort.signal, delay })
    expect(failure.kind).toBe('aborted')
    expect(failed.map((each) => each.failure.status)).toEqual([503])
  })

  it('calls no other provider when the request is invalid', async () => {
    const [first, second] = [await test.failingWith(422), await test.failingWith()]
    const { failure } = await test.failed([createTarget(first, 'one'), createTarget(second, 'two')])
    expect(failure.status).toBe(422)
    expect(second.requests).toHaveLength(0)
  })

  it('fails over immediately when a credential is missing, rejected or locked', async () => {
    const [refusing, good] = [await test.failingWith(401), await test.failingWith()]
    const targets = [
      createTarget(good, 'missing'),
      createTarget(good, 'locked'),
      createTarget(refusing, 'refused'),
      createTarget(good, 'good'),
    ]
    const credential = async (id: string) => {
      if (id === 'locked') throw new Error('keychain')
      return id === 'missing' ? null : 'secret-credential'
    }
    const { attempts } = await test.answered(targets, { credential })
    expect(listStatuses(attempts)).toEqual([
      ['missing', null],
      ['locked', null],
      ['refused', 401],
      ['good', 200],
    ])
    expect(test.slept).toEqual([])
    const only = await test.failed([createTarget(good, 'locked')], { credential })
    expect(only.failure).toMatchObject({ kind: 'credential', code: 'credentials_unavailable' })
  })

  it('fails with a message when there is no candidate at all', async () => {
    expect((await test.failed([])).attempts).toEqual([])
  })

  it('fails cleanly for an API format that does not exist', async () => {
    const server = await test.failingWith()
    const apiFormat = 'gopher' as Target['apiFormat']
    const { failure } = await test.failed([createTarget(server, 'acme', { apiFormat })])
    expect(failure.message).toContain('gopher')
    expect(server.requests).toHaveLength(0)
  })

  it('does not wait for a retry once the signal aborts', async () => {
    const server = await test.failingWith(503)
    const abort = new AbortController()
    const { failure } = await test.failed([createTarget(server, 'acme')], {
      signal: abort.signal,
      random: () => 0.99,
      delay: (ms, options) => {
        const sleeping = wait(ms, undefined, options)
        abort.abort()
        return sleeping
      },
    })
    expect(failure.kind).toBe('aborted')
    expect(server.requests).toHaveLength(1)
  })

  it('retries a stream that fails before its first chunk, but not after', async () => {
    let calls = 0
    const server = await test.calls.upstream((exchange) => {
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
    const { answer, attempts } = await test.answered([createTarget(server, 'acme')], {
      request: streamRequest,
    })
    if (answer.kind !== 'stream') throw new Error('not a stream')
    expect(listStatuses(attempts)).toEqual([
      ['acme', 503],
      ['acme', 200],
    ])
    expect((await listEvents(answer)).at(-1)).toMatchObject({
      type: 'failed',
      failure: { kind: 'malformed' },
    })
    expect(attempts.at(-1)?.error).toContain('ended before the answer was complete')
    expect(calls).toBe(2)
  })

  it('calls the next provider for a model that the first one lacks', async () => {
    const [first, second] = [await test.failingWith(404), await test.failingWith()]
    const { candidate } = await test.answered([createTarget(first, 'one'), createTarget(second, 'two')])
    expect(candidate.target.providerId).toBe('two')
  })

  it('reports a transient failure rather than a field that a fallback’s format lacks', async () => {
    const busy = await test.failingWith(503, 503, 503)
    const targets = [
      createTarget(busy, 'one'),
      createTarget(busy, 'two', { apiFormat: 'anthropic-messages' }),
    ]
    const request: ChatRequest = { ...plainRequest, tools: [{ type: 'custom', custom: { name: 'x' } }] }
    const { failure } = await test.failed(targets, { request })
    expect(failure.status).toBe(503)
  })

  it('calls a provider with an open circuit last, and closes it after a success', async () => {
    const [first, second] = [await test.failingWith(500, 500, 500, 500, 500, 500), await test.failingWith()]
    const targets = [createTarget(first, 'one'), createTarget(second, 'two')]
    await test.answered(targets)
    await test.answered(targets)
    expect(test.breakers.state('one')).toMatchObject({ state: 'open', lastError: 'status 500' })
    expect((await test.answered(targets)).attempts).toHaveLength(1)
    const alone = await test.answered([createTarget(first, 'one')])
    expect(alone.candidate.target.providerId).toBe('one')
    expect(test.breakers.state('one').state).toBe('closed')
  })

  it('counts an interrupted stream against its provider', async () => {
    const server = await test.calls.upstream((exchange) =>
      exchange
        .begin()
        .data(testChunk({ role: 'assistant' }))
        .end(),
    )
    for (let n = 0; n < 5; n += 1) {
      const { answer } = await test.answered([createTarget(server, 'acme')], { request: streamRequest })
      if (answer.kind === 'stream') await listEvents(answer)
    }
    expect(test.breakers.state('acme').state).toBe('open')
  })

  it('answers from the sandbox without a credential', async () => {
    const target = testTarget('', {
      providerId: 'sandbox',
      apiFormat: 'sandbox',
      upstreamModel: 'sandbox-small',
      needsCredential: false,
    })
    const { answer } = await test.answered([target], {
      credential: () => Promise.reject(new Error('not called')),
    })
    expect(answer.kind).toBe('plain')
  })
})
