// Many streams at a time, each with a chunk now and then, as from models that write text.
import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from 'undici'
import { createChatRequest, openClient, sendChatRequest, type Target } from './chat-request.ts'
import { sharedNow } from './clock.ts'
import { quantile } from './statistics.ts'

/** Streams that are opened during `rampMs` and then measured for `measureMs`. */
export interface Streams {
  streams: number
  rampMs: number
  measureMs: number
}

/** The time from the moment a chunk was sent upstream to its arrival at the client, in milliseconds. */
export interface ChunkDelays {
  /** Received while measuring. */
  chunks: number
  p50: number
  p99: number
  p999: number
  max: number
  /** The number of chunks that took more than 50 ms. */
  late: number
}

const LATE_MS = 50
/** Between two chunks of a stream. */
const INTERVAL_MS = 50
/** Between the ramp and what is measured, and between that and the end of the streams. */
const PAUSE_MS = 500
/** The send time at the start of a chunk's text. */
const SENT = /"content":"([\d.]+) "/g

/** `onBegin` and `onEnd` are called when what is measured does. Rejects when a stream is not complete. */
export async function receiveStreams(
  target: Target,
  { streams, rampMs, measureMs }: Streams,
  { onBegin, onEnd }: { onBegin?(): void; onEnd?(): void } = {},
): Promise<ChunkDelays> {
  const chunks = Math.ceil((rampMs + measureMs + 2 * PAUSE_MS) / INTERVAL_MS)
  const request = createChatRequest(target, true, `paced ${INTERVAL_MS} ${chunks}`)
  const delays: number[] = []
  let from = Number.POSITIVE_INFINITY
  let until = Number.POSITIVE_INFINITY

  const readStream = async (client: Client) => {
    let received = 0
    let tail = ''
    await sendChatRequest(client, request, (part) => {
      const now = sharedNow()
      const text = tail + part.toString('latin1')
      const complete = text.lastIndexOf('\n\n') + 2
      tail = text.slice(complete)
      for (const [, sent] of text.slice(0, complete).matchAll(SENT)) {
        received += 1
        const sentAt = Number(sent)
        if (sentAt >= from && sentAt < until) delays.push(now - sentAt)
      }
    })
    if (received !== chunks) throw new Error(`a stream had ${received} of ${chunks} chunks`)
  }

  const connections = Array.from({ length: streams }, () => openClient(target))
  try {
    const reading: Promise<void>[] = []
    const rampFrom = sharedNow()
    for (const [index, connection] of connections.entries()) {
      const early = rampFrom + (index * rampMs) / streams - sharedNow()
      if (early > 1) await delay(early)
      const stream = readStream(connection)
      // It is awaited only when all have been opened.
      stream.catch(() => undefined)
      reading.push(stream)
    }
    const ended = Promise.all(reading)
    await Promise.race([ended, delay(PAUSE_MS)])
    from = sharedNow()
    until = from + measureMs
    onBegin?.()
    await Promise.race([ended, delay(measureMs)])
    onEnd?.()
    await ended
  } finally {
    await Promise.all(connections.map((connection) => connection.destroy()))
  }
  const at = (share: number) => quantile(delays, share)
  const late = delays.filter((ms) => ms > LATE_MS).length
  return { chunks: delays.length, p50: at(0.5), p99: at(0.99), p999: at(0.999), max: at(1), late }
}
