// Concurrent clients, each of which waits for the response before its next request.
import { Client } from 'undici'
import { createChatRequest, sendChatRequest } from './chat-request.ts'
import { sharedNow } from './clock.ts'
import type { Quantiles, RequestsJob, RequestsMeasured } from './jobs.ts'
import { quantile } from './statistics.ts'

export interface Marks {
  begin(): void
  end(): void
}

const PROMPT = 'How are you? '.repeat(20)
/** The times in a plain answer of the benchmark's upstream: when it received the request, and when it answered. */
const TIMES = /"content":"([\d.]+) ([\d.]+) /

/** Rejects when a response is not a complete 200. */
export async function measureRequests(job: RequestsJob, marks: Marks): Promise<RequestsMeasured> {
  const { target, requests, clients, stream } = job
  const request = createChatRequest(target, stream, PROMPT)
  const firstByte: number[] = []
  const total: number[] = []
  const there: number[] = []
  const back: number[] = []
  let left = requests

  const send = async (client: Client) => {
    const askedAt = sharedNow()
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
  const run = async (client: Client) => {
    while (left-- > 0) await send(client)
  }

  const connections = Array.from({ length: clients }, () => new Client(new URL(target.url).origin))
  try {
    marks.begin()
    const startedAt = sharedNow()
    await Promise.all(connections.map(run))
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
    await Promise.all(connections.map((connection) => connection.destroy()))
  }
}

function quantiles(values: readonly number[]): Quantiles {
  return { p50: quantile(values, 0.5), p99: quantile(values, 0.99) }
}
