import { expect, it } from 'vitest'
import { NO_USAGE } from '../../shared/api/usage-buckets.ts'
import type { ChatEvent } from '../formats/chat/events.ts'
import { ClientDisconnected } from './in-flight.ts'
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

interface Options {
  /** Chunks after which a limit ends the stream. */
  most?: number
  isMetered?: boolean
  /** What the client's connection does with each write. */
  drain?: () => Promise<void>
}

function start({ most = Infinity, isMetered = true, drain = async () => undefined }: Options = {}) {
  const written: (string | Buffer)[] = []
  const controller = new AbortController()
  const records: boolean[] = []
  let chunks = 0
  let reports = 0
  const relay = new StreamRelay(
    {
      call: {
        stream: {
          write(data) {
            written.push(data)
            return drain()
          },
        },
      },
      inFlight: { signal: controller.signal },
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
      isMetered,
      record(ended) {
        records.push(ended)
        if (!ended && chunks > most) controller.abort(new Error('limit'))
      },
    },
  )
  return { relay, written, controller, records, counted: () => ({ chunks, reports }) }
}

const usage: ChatEvent = {
  type: 'usage',
  usage: {
    buckets: NO_USAGE,
    costUsd: null,
    asChatUsage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
  },
}

it('a batch is one write; each of its chunks is recorded, and its end', async () => {
  const { relay, written, records } = start()
  expect(await relay.relay(toBatches([chunk('a'), chunk('b')], [chunk('c')], [{ type: 'done' }]))).toBeNull()
  expect(written).toEqual(['ab', 'c'])
  expect(records).toEqual([false, false, false, true])
})

it('a stream that reaches a limit ends with the batch that reached it', async () => {
  const { relay, written } = start({ most: 1 })
  const failure = await relay.relay(toBatches([chunk('a')], [chunk('b'), chunk('c')], [chunk('d')]))
  expect(failure).toMatchObject({ kind: 'aborted' })
  expect(written.join('')).toBe('abc')
})

it('a stream whose last batch reaches a limit is complete', async () => {
  const { relay, written } = start({ most: 1 })
  expect(await relay.relay(toBatches([chunk('a'), chunk('b'), { type: 'done' }]))).toBeNull()
  expect(written.join('')).toBe('ab')
})

it('what comes after a limit has ended the stream is counted and recorded, but not sent', async () => {
  const { relay, written, counted, records } = start({ most: 1 })
  await relay.relay(toBatches([chunk('a'), chunk('b')], [chunk('c')], [usage, { type: 'done' }]))
  expect(written.join('')).toBe('ab')
  expect(counted()).toEqual({ chunks: 3, reports: 1 })
  expect(records).toEqual([false, false, true, true, true])
})

it('what comes of a stream whose request the gateway has ended is counted, but not sent', async () => {
  const { relay, written, controller, counted } = start()
  controller.abort(new Error('revoked'))
  const failure = await relay.relay(toBatches([chunk('a'), usage, { type: 'done' }]))
  expect(failure).toMatchObject({ kind: 'aborted' })
  expect(written).toEqual([])
  expect(counted()).toEqual({ chunks: 1, reports: 1 })
})

it('what comes for a client that has left is written, for a repetition', async () => {
  const { relay, written, controller } = start()
  controller.abort(new ClientDisconnected())
  expect(await relay.relay(toBatches([chunk('a'), { type: 'done' }]))).toBeNull()
  expect(written).toEqual(['a'])
})

it('a metered stream is read as its provider writes, though its client does not read', async () => {
  const drained = Promise.withResolvers<void>()
  const { relay, counted } = start({ drain: () => drained.promise })
  expect(await relay.relay(toBatches([chunk('a')], [chunk('b')], [{ type: 'done' }]))).toBeNull()
  expect(counted().chunks).toBe(2)
})

it('a stream whose whole cost is reserved is read at the pace of its client', async () => {
  const drained = Promise.withResolvers<void>()
  const { relay, written, counted } = start({ isMetered: false, drain: () => drained.promise })
  const ended = relay.relay(toBatches([chunk('a')], [chunk('b')], [{ type: 'done' }]))
  await expect.poll(() => written).toEqual(['a'])
  expect(counted().chunks).toBe(1)
  drained.resolve()
  expect(await ended).toBeNull()
  expect(written).toEqual(['a', 'b'])
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
