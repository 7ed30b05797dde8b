// Concurrent clients, each of which waits for the response before its next request.
import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from 'undici'
import { type ChatRequest, createChatRequest, openClient, sendChatRequest } from './chat-request.ts'
import { sharedNow } from './clock.ts'
import type { Quantiles, RequestsJob, RequestsMeasurement } from './jobs.ts'
import { quantile } from './statistics.ts'

export interface Marks {
  begin(): void
  end(): void
}

interface Caller {
  client: Client
  request: ChatRequest
}

const PROMPT = 'How are you? '.repeat(20)
/** The times in a plain answer of the benchmark's upstream: when it received the request, and when it answered. */
const TIMES = /"content":"([\d.]+) ([\d.]+) /

/** Rejects when a response is not a complete 200. */
export async function measureRequests(job: RequestsJob, marks: Marks): Promise<RequestsMeasurement> {
  const { target, others = [], requests, clients, stream, perSecond, answerMs } = job
  const prompt = answerMs === undefined ? PROMPT : `after ${answerMs} ${PROMPT}`
  const targets = [target, ...others]
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
  let startedAt = 0
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

  const callers = Array.from({ length: clients }, (_, index): Caller => {
    const called = targets[index % targets.length] ?? target
    return { client: openClient(called), request: createChatRequest(called, stream, prompt) }
  })
  try {
    marks.begin()
    startedAt = sharedNow()
    await Promise.all(callers.map(run))
    const seconds = (sharedNow() - startedAt) / 1_000
    marks.end()
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
