// A receiver of OTLP over HTTP, for tests: neither npm nor Debian has a package with a collector. The numbers of fields are those of
// https://github.com/open-telemetry/opentelemetry-proto: trace/v1, metrics/v1 and common/v1.
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { PbfReader } from 'pbf'
import { listen } from '../../../../gateway/testing/listen.ts'

type Value = string | number | Value[] | null

export interface ReceivedSpan {
  name: string
  kind: number
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  traceState: string | undefined
  status: number
  attributes: Record<string, Value>
}

interface ReceivedPoint {
  metric: string
  attributes: Record<string, Value>
  /** The value of a counter. */
  value: number | null
  /** The count of a histogram. */
  count: number | null
  sum: number | null
}

interface ReceivedRequest {
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
}

export interface OtlpReceiver {
  url: string
  requests: readonly ReceivedRequest[]
  /** The spans of all requests so far. */
  spans(): ReceivedSpan[]
  points(): ReceivedPoint[]
  /** The status of every answer from now on. */
  answerWith(status: number, headers?: Record<string, string>): void
  close(): Promise<void>
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const requests: ReceivedRequest[] = []
  let status = 200
  let answerHeaders: Record<string, string> = {}
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      requests.push({ path: request.url ?? '', headers: request.headers, body })
      response.writeHead(status, { 'content-type': 'application/x-protobuf', ...answerHeaders }).end()
    })
  })
  const port = await listen(server)
  const list = (path: string) =>
    requests
      .filter((request) => request.path === path)
      // Resources have scopes, and those spans or metrics.
      .flatMap(({ body }) => new Message(body).list(1))
      .flatMap((resource) => resource.list(2))
      .flatMap((scope) => scope.list(2))
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    spans: () => list('/v1/traces').map(readSpan),
    points: () => list('/v1/metrics').flatMap(listPoints),
    answerWith(next, headers = {}) {
      status = next
      answerHeaders = headers
    },
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** A message in protobuf, whose fields are read by number. */
class Message {
  readonly #fields = new Map<number, (number | Buffer)[]>()

  constructor(bytes: Uint8Array) {
    new PbfReader(bytes).readFields((tag, _, reader) => {
      const values = this.#fields.get(tag) ?? []
      const read = [
        () => reader.readVarint(true),
        () => reader.readDouble(),
        () => Buffer.from(reader.readBytes()),
      ]
      const value = read[reader.type]?.()
      if (value !== undefined) this.#fields.set(tag, [...values, value])
    }, null)
  }

  list(tag: number): Message[] {
    return this.bytes(tag).map((bytes) => new Message(bytes))
  }

  bytes(tag: number): Buffer[] {
    return (this.#fields.get(tag) ?? []).filter((value) => typeof value !== 'number')
  }

  text(tag: number): string | undefined {
    return this.bytes(tag)[0]?.toString()
  }

  hex(tag: number): string | undefined {
    return this.bytes(tag)[0]?.toString('hex') || undefined
  }

  number(tag: number): number | null {
    const value = this.#fields.get(tag)?.[0]
    return typeof value === 'number' ? value : null
  }

  /** A whole number of 64 bits, which the reader has taken for a double. */
  whole(tag: number): number | null {
    const value = this.number(tag)
    if (value === null) return null
    return Number(new BigInt64Array(Float64Array.of(value).buffer)[0])
  }
}

function readSpan(span: Message): ReceivedSpan {
  return {
    name: span.text(5) ?? '',
    kind: span.number(6) ?? 0,
    traceId: span.hex(1) ?? '',
    spanId: span.hex(2) ?? '',
    parentSpanId: span.hex(4),
    traceState: span.text(3) || undefined,
    status: span.list(15)[0]?.number(3) ?? 0,
    attributes: readAttributes(span.list(9)),
  }
}

function listPoints(metric: Message): ReceivedPoint[] {
  const name = metric.text(1) ?? ''
  const numbers = [...metric.list(5), ...metric.list(7)].flatMap((data) => data.list(1))
  const histograms = metric.list(9).flatMap((data) => data.list(1))
  return [
    ...numbers.map((point) => ({
      metric: name,
      attributes: readAttributes(point.list(7)),
      value: point.number(4) ?? point.whole(6),
      count: null,
      sum: null,
    })),
    ...histograms.map((point) => ({
      metric: name,
      attributes: readAttributes(point.list(9)),
      value: null,
      count: point.whole(4),
      sum: point.number(5),
    })),
  ]
}

function readAttributes(pairs: readonly Message[]): Record<string, Value> {
  return Object.fromEntries(pairs.map((pair) => [pair.text(1), readValue(pair.list(2)[0])]))
}

function readValue(value: Message | undefined): Value {
  const [array] = value?.list(5) ?? []
  if (array) return array.list(1).map(readValue)
  return value?.text(1) ?? value?.number(2) ?? value?.number(3) ?? value?.number(4) ?? null
}
