// Concurrent clients, each of which waits for the response before its next request.
import { Pool } from 'undici'

export interface Target {
  name: string
  /** Where chat completions are posted. */
  url: string
  headers: Record<string, string>
  model: string
}

export interface Measured {
  /** Requests per second. */
  rate: number
  /** Milliseconds from the request to the first byte: median and 99th percentile. */
  firstByte: [median: number, p99: number]
  /** Milliseconds from the request to the last byte. */
  total: [median: number, p99: number]
}

/** Sends `requests` requests from `clients` clients. Throws when a response is not a complete 200. */
export async function load(
  target: Target,
  requests: number,
  clients: number,
  stream: boolean,
): Promise<Measured> {
  const { origin, pathname } = new URL(target.url)
  const pool = new Pool(origin, { connections: clients, pipelining: 1 })
  const body = JSON.stringify({
    model: target.model,
    stream,
    messages: [{ role: 'user', content: 'How are you? '.repeat(20) }],
  })
  const firstBytes: number[] = []
  const totals: number[] = []
  let left = requests
  const startedAt = performance.now()
  const client = async () => {
    while (left-- > 0) {
      const askedAt = performance.now()
      const answer = await pool.request({
        path: pathname,
        method: 'POST',
        headers: { 'content-type': 'application/json', ...target.headers },
        body,
      })
      let text = ''
      for await (const part of answer.body.setEncoding('utf8')) {
        if (text === '') firstBytes.push(performance.now() - askedAt)
        text += part
      }
      totals.push(performance.now() - askedAt)
      if (answer.statusCode !== 200 || (stream && !text.includes('[DONE]'))) {
        throw new Error(`${target.name} answered ${answer.statusCode}: ${text.slice(0, 300)}`)
      }
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  const seconds = (performance.now() - startedAt) / 1000
  await pool.close()
  return { rate: requests / seconds, firstByte: quantiles(firstBytes), total: quantiles(totals) }
}

function quantiles(values: number[]): [number, number] {
  const sorted = values.sort((a, b) => a - b)
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return [at(0.5), at(0.99)]
}
