import { expect, it } from 'vitest'
import { NO_USAGE } from '../../shared/api/usage-buckets.ts'
import type { ChatEvent } from '../formats/chat/events.ts'
import { StreamCutError } from '../spend/budget-errors.ts'
import { StreamRelay } from './relay.ts'

const chunk = (content: string): ChatEvent => ({
  type: 'chunk',
  chunk: {
    id: 'x',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta: { content }, finish_reason: null }],
  },
  raw: null,
})

const writer = {
  normalize: (event: ChatEvent) => [event],
  write: (event: ChatEvent) =>
    event.type === 'bytes'
      ? event.bytes
      : event.type === 'chunk'
        ? `${event.chunk.choices[0]?.delta.content}`
        : '',
}

async function* toBatches(...batches: ChatEvent[][]) {
  yield* batches
}

/** Relays to a client. Every chunk from the third on has to be covered by `extend`. */
function start(extend: () => Promise<void> = async () => undefined, pauses = false) {
  const written: (string | Buffer)[] = []
  const controller = new AbortController()
  let chunks = 0
  let reports = 0
  let covered = 2
  let ahead = 0
  const ended = Promise.withResolvers<void>()
  const relay = new StreamRelay(
    {
      call: { stream: { write: async (data) => void written.push(data) } },
      inFlight: { signal: controller.signal, abort: (reason) => controller.abort(reason) },
      meter: {
        recordChunk: () => {
          chunks += 1
        },
        recordUsage: () => {
          reports += 1
        },
      },
    },
    writer,
    {
      get isCovered() {
        return chunks <= covered
      },
      extend: async (duringPause) => {
        const extended = extend()
        if (pauses) await duringPause(extended)
        await extended
        covered = chunks
      },
      consumeAhead: () => {
        ahead += 1
      },
      endPause: () => ended.resolve(),
      recordUsage: () => undefined,
    },
  )
  return {
    relay,
    written,
    controller,
    counted: () => ({ chunks, reports }),
    ahead: () => ahead,
    ended: ended.promise,
  }
}

const cutStream = async () => {
  throw new StreamCutError({ code: 'spend_limit_reached', message: 'The cap is reached.', limit: null })
}
const usage: ChatEvent = {
  type: 'usage',
  usage: {
    buckets: NO_USAGE,
    costUsd: null,
    asChatUsage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
  },
}

it('a batch is one write', async () => {
  const { relay, written } = start()
  expect(await relay.relay(toBatches([chunk('a'), chunk('b')], [{ type: 'done' }]))).toBeNull()
  expect(written).toEqual(['ab'])
})

it('what is covered is sent before a wait in the middle of a batch', async () => {
  const wait = Promise.withResolvers<void>()
  const { relay, written } = start(() => wait.promise)
  const ended = relay.relay(toBatches([chunk('a'), chunk('b'), chunk('c'), chunk('d'), { type: 'done' }]))
  await expect.poll(() => written).toEqual(['ab'])
  wait.resolve()
  expect(await ended).toBeNull()
  expect(written.join('')).toBe('abcd')
})

it('a stream that is cut ends with the chunk that reached the limit', async () => {
  const { relay, written, controller } = start(cutStream)
  const failure = await relay.relay(toBatches([chunk('a'), chunk('b'), chunk('c'), chunk('d')]))
  expect(failure).toMatchObject({ kind: 'aborted' })
  expect(written.join('')).toBe('abc')
  expect(controller.signal.aborted).toBe(true)
})

it('what has come of a stream that is cut is counted, but not sent', async () => {
  const { relay, written, counted } = start(cutStream)
  const first = [chunk('a'), chunk('b'), chunk('c'), chunk('d')]
  await relay.relay(toBatches(first, [chunk('e')], [usage, { type: 'done' }]))
  expect(written.join('')).toBe('abc')
  expect(counted()).toEqual({ chunks: 5, reports: 1 })
})

it('what comes of a stream whose request the gateway has ended is counted, but not sent', async () => {
  const { relay, written, controller, counted } = start()
  controller.abort(new Error('revoked'))
  const failure = await relay.relay(toBatches([chunk('a'), usage, { type: 'done' }]))
  expect(failure).toMatchObject({ kind: 'aborted' })
  expect(written).toEqual([])
  expect(counted()).toEqual({ chunks: 1, reports: 1 })
})

it('what comes during a pause is counted immediately, and sent once when the stream goes on', async () => {
  const wait = Promise.withResolvers<void>()
  const { relay, written, counted, ahead } = start(() => wait.promise, true)
  const first = [chunk('a'), chunk('b'), chunk('c'), chunk('d')]
  const ended = relay.relay(toBatches(first, [chunk('e'), usage], [chunk('f')], [{ type: 'done' }]))
  await expect.poll(ahead).toBe(3)
  expect(written.join('')).toBe('ab')
  expect(counted()).toEqual({ chunks: 5, reports: 1 })
  wait.resolve()
  expect(await ended).toBeNull()
  expect(written.join('')).toBe('abcdef')
  expect(counted()).toEqual({ chunks: 6, reports: 1 })
})

it('a stream that is cut in a pause is counted to its end, and sends nothing more', async () => {
  const wait = Promise.withResolvers<void>()
  const cut = wait.promise.then(cutStream)
  const { relay, written, counted, ahead } = start(() => cut, true)
  const first = [chunk('a'), chunk('b'), chunk('c')]
  const ended = relay.relay(toBatches(first, [chunk('d')], [chunk('e')], [usage, { type: 'done' }]))
  await expect.poll(ahead).toBe(3)
  wait.resolve()
  expect(await ended).toMatchObject({ kind: 'aborted' })
  expect(written.join('')).toBe('abc')
  expect(counted()).toEqual({ chunks: 5, reports: 1 })
})

it('a pause ends when the provider has sent a megabyte', async () => {
  const { relay, ended } = start(() => ended.then(cutStream), true)
  const long: ChatEvent = { ...chunk('x'), raw: 'x'.repeat(400_000) } as ChatEvent
  const failure = await relay.relay(
    toBatches([chunk('a'), chunk('b'), chunk('c')], [long], [long], [long], [long]),
  )
  expect(failure).toMatchObject({ kind: 'aborted' })
})

it('bytes stay bytes', async () => {
  const { relay, written } = start()
  const bytes = Buffer.from([0xff, 0xfe])
  await relay.relay(toBatches([{ type: 'bytes', bytes }, { type: 'bytes', bytes }, { type: 'done' }]))
  expect(written).toEqual([Buffer.concat([bytes, bytes])])
})

it('a stream without its last event is malformed', async () => {
  expect(await start().relay.relay(toBatches([chunk('a')]))).toMatchObject({ kind: 'malformed' })
})
