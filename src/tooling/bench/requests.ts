// Concurrent clients, each of which waits for the response before its next request. They run in the benchmark's own process,
// which has nothing else to do meanwhile.
import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from 'undici'
import {
  type ChatRequest,
  createChatRequest,
  openClient,
  sendChatRequest,
  type Target,
} from './chat-request.ts'
import { sharedNow } from './clock.ts'
import { quantile } from './statistics.ts'

export interface Load {
  /** More targets: clients take them in turn. */
  others?: readonly Target[]
  requests: number
  clients: number
  stream: boolean
  /** Requests that begin in a second, each on a client that is free. Their times are measured from when they should begin. */
  perSecond?: number
  /** The upstream answers after so many milliseconds; immediately when absent. */
  answerMs?: number
}

/** Milliseconds. */
interface Quantiles {
  p50: number
  p99: number
}

export interface RequestsMeasurement {
  /** Requests per second. */
  rate: number
  /** The time from the request to the first byte of the answer's body. */
  firstByte: Quantiles
  /** The time from the request to the last byte. */
  total: Quantiles
  /**
   * The time from the client's request to its arrival upstream, and from the upstream's answer to its end at the client.
   * Plain only.
   */
  there: Quantiles
  back: Quantiles
}

interface Caller {
  client: Client
  request: ChatRequest
}

/** The clients that warm a target up, and those whose rate is measured. */
export const CLIENTS = 32
const PROMPT = 'How are you? '.repeat(20)
/** The times in a plain answer of the benchmark's upstream: when it received the request, and when it answered. */
const TIMES = /"content":"([\d.]+) ([\d.]+) /

/** Rejects when a response is not a complete 200. */
export async function sendRequests(
  target: Target,
  { others = [], requests, clients, stream, perSecond, answerMs }: Load,
): Promise<RequestsMeasurement> {
  const prompt = answerMs === undefined ? PROMPT : `after ${answerMs} ${PROMPT}`
  const firstByte: number[] = []
  const total: number[] = []
  const there: number[] = []
  const back: number[] = []
  let left = requests

  const send = async ({ client, request }: Caller, askedAt = sharedNow()) => {
    let body = ''
    await sendChatRequest(client, request, (part) => {
      if (body === '') firstByte.push(sharedNow() - askedAt)
      body += part.toString('latin1')
    })
    const doneAt = sharedNow()
    total.push(doneAt - askedAt)
    if (stream) {
      if (!body.includes('data: [DONE]')) throw new Error('a stream ended before [DONE]')
      return
    }
    const [, receivedAt, answeredAt] = TIMES.exec(body) ?? []
    if (answeredAt === undefined) throw new Error(`not the upstream's answer: ${body.slice(0, 200)}`)
    there.push(Number(receivedAt) - askedAt)
    back.push(doneAt - Number(answeredAt))
  }
  const targets = [target, ...others]
  const callers = Array.from({ length: clients }, (_, index): Caller => {
    const called = targets[index % targets.length] ?? target
    return { client: openClient(called), request: createChatRequest(called, stream, prompt) }
  })
  const startedAt = sharedNow()
  const run = async (caller: Caller) => {
    while (left > 0) {
      left -= 1
      if (perSecond === undefined) await send(caller)
      else {
        const beginAt = startedAt + ((requests - left - 1) * 1_000) / perSecond
        const early = beginAt - sharedNow()
        if (early > 0) await delay(early)
        await send(caller, beginAt)
      }
    }
  }
  try {
    await Promise.all(callers.map(run))
    const seconds = (sharedNow() - startedAt) / 1_000
    return {
      rate: requests / seconds,
      firstByte: quantiles(firstByte),
      total: quantiles(total),
      there: quantiles(there),
      back: quantiles(back),
    }
  } finally {
    await Promise.all(callers.map(({ client }) => client.destroy()))
  }
}

function quantiles(values: readonly number[]): Quantiles {
  return { p50: quantile(values, 0.5), p99: quantile(values, 0.99) }
}
