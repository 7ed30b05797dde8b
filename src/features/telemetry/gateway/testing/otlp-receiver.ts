// A receiver of OTLP over HTTP with JSON, for tests: neither npm nor Debian has a package with a collector.
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { listen } from '../../../../gateway/testing/listen.ts'

type Value = string | number | boolean | Value[] | null

export interface ReceivedSpan {
  name: string
  kind: number
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  traceState: string | undefined
  status: number
  attributes: Record<string, Value>
  startNano: bigint
  endNano: bigint
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
  /** The spans of all JSON requests so far. */
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
      response.writeHead(status, { 'content-type': 'application/json', ...answerHeaders }).end('{}')
    })
  })
  const port = await listen(server)
  const json = (path: string) =>
    requests
      .filter((request) => request.path === path && request.headers['content-type'] === 'application/json')
      .map(({ body }) => JSON.parse(body.toString('utf8')))
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    spans: () => json('/v1/traces').flatMap(listSpans),
    points: () => json('/v1/metrics').flatMap(listPoints),
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

// biome-ignore lint/suspicious/noExplicitAny: parsed JSON
type Json = any

function listSpans(body: Json): ReceivedSpan[] {
  return body.resourceSpans
    .flatMap((resource: Json) => resource.scopeSpans)
    .flatMap((scope: Json) => scope.spans)
    .map((span: Json) => ({
      name: span.name,
      kind: span.kind,
      traceId: span.traceId,
      spanId: span.spanId,
      parentSpanId: span.parentSpanId,
      traceState: span.traceState,
      status: span.status?.code ?? 0,
      attributes: readAttributes(span.attributes),
      startNano: BigInt(span.startTimeUnixNano),
      endNano: BigInt(span.endTimeUnixNano),
    }))
}

function listPoints(body: Json): ReceivedPoint[] {
  return body.resourceMetrics
    .flatMap((resource: Json) => resource.scopeMetrics)
    .flatMap((scope: Json) => scope.metrics)
    .flatMap((metric: Json) =>
      (metric.sum ?? metric.histogram ?? metric.gauge).dataPoints.map((point: Json) => ({
        metric: metric.name,
        attributes: readAttributes(point.attributes),
        value: point.asDouble ?? (point.asInt === undefined ? null : Number(point.asInt)),
        count: point.count === undefined ? null : Number(point.count),
        sum: point.sum ?? null,
      })),
    )
}

function readAttributes(list: Json): Record<string, Value> {
  return Object.fromEntries((list ?? []).map(({ key, value }: Json) => [key, readValue(value)]))
}

function readValue(value: Json): Value {
  if (value.intValue !== undefined) return Number(value.intValue)
  if (value.arrayValue) return value.arrayValue.values.map(readValue)
  return value.stringValue ?? value.doubleValue ?? value.boolValue ?? null
}
