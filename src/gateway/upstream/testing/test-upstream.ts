// An upstream for tests: a real HTTP server that sends exactly the bytes of a test's handler, and records its requests.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer, type ServerOptions } from 'node:https'
import { setTimeout as delay } from 'node:timers/promises'
import type { ApiFormat } from '../../../shared/api/providers.ts'
import type { Target } from '../../formats/chat/codec-types.ts'
import { ReasoningSignatureCache } from '../../formats/chat/reasoning.ts'
import { isObject, type JsonObject } from '../../formats/json/json.ts'
import { listen } from '../../testing/listen.ts'
import { encodeEvent, type VendorAnswer, vendorFormats, writeStream } from './vendor-formats.ts'

export interface RecordedRequest {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: string
  /** The body as a JSON object; throws when it is none. */
  json(): JsonObject
}

/** A request and its response, passed to a test's handler. */
export class TestExchange {
  readonly request: RecordedRequest
  readonly response: ServerResponse
  /** Resolves when the client closes the connection before the end of the response. */
  readonly disconnected: Promise<void>

  constructor(request: RecordedRequest, response: ServerResponse) {
    this.request = request
    this.response = response
    this.disconnected = new Promise((resolve) => {
      response.once('close', () => {
        if (!response.writableFinished) resolve()
      })
    })
  }

  /** Sends a complete response. Anything but a string is sent as JSON. */
  reply(status: number, body: unknown, headers: Record<string, string> = {}): void {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    this.response.writeHead(status, { 'content-type': 'application/json', ...headers })
    this.response.end(text)
  }

  /** Sends the status and headers of a stream. */
  begin(headers: Record<string, string> = { 'content-type': 'text/event-stream' }): this {
    this.response.writeHead(200, headers)
    this.response.flushHeaders()
    return this
  }

  /** Sends bytes unchanged. */
  raw(bytes: string | Uint8Array): this {
    this.response.write(bytes)
    return this
  }

  /** Sends each as one `data:` event; anything but a string as JSON. */
  data(...events: unknown[]): this {
    for (const event of events) {
      this.raw(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`)
    }
    return this
  }

  /** Sends each as an event that is named by its type. */
  events(...events: readonly object[]): this {
    return this.raw(events.map(encodeEvent).join(''))
  }

  /** Answers as vendors of the format do: in one piece, or as a stream if the request asks for one. */
  answer(format: ApiFormat, answer: VendorAnswer, early?: unknown): void {
    const { path } = this.request
    if (this.request.json().stream !== true && !path.includes(':streamGenerateContent'))
      this.reply(200, vendorFormats[format].plain(answer))
    else
      this.begin()
        .raw(writeStream(format, answer, early))
        .end()
  }

  /** Sends the bytes one by one, `everyMs` milliseconds apart. */
  async drip(bytes: string, everyMs: number): Promise<void> {
    for (const byte of Buffer.from(bytes)) {
      if (this.response.destroyed) return
      this.raw(Uint8Array.of(byte))
      await delay(everyMs)
    }
  }

  end(): void {
    this.response.end()
  }

  /** Closes the TCP connection after what was sent, which a reset may discard. */
  cut(): void {
    this.response.socket?.end()
  }

  /** Resets the TCP connection. */
  reset(): void {
    this.response.socket?.resetAndDestroy()
  }
}

export interface TestUpstream {
  /** `http://127.0.0.1:PORT`: for the OpenAI codec, add `/v1`. */
  url: string
  server: Server
  /** Answers the requests from now on. */
  handler: TestHandler
  /** Every request so far, in the order of arrival. */
  requests: RecordedRequest[]
  /** Connections accepted since the start. */
  connections(): number
  close(): Promise<void>
}

export type TestHandler = (exchange: TestExchange) => void | Promise<void>

async function record(request: IncomingMessage): Promise<RecordedRequest> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  const body = Buffer.concat(parts).toString('utf8')
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: request.headers,
    body,
    json: () => {
      const value: unknown = JSON.parse(body)
      if (!isObject(value)) throw new TypeError('the body is not a JSON object')
      return value
    },
  }
}

/**
 * Starts an upstream on a free port of 127.0.0.1, with TLS if it is given a certificate. The handler is called once a request's
 * body has been read.
 */
export async function startTestUpstream(
  handler: TestHandler = (exchange) => exchange.reply(500, {}),
  tls?: Pick<ServerOptions, 'key' | 'cert'>,
): Promise<TestUpstream> {
  const requests: RecordedRequest[] = []
  let connections = 0
  const answer = (incoming: IncomingMessage, response: ServerResponse) => {
    response.on('error', () => {})
    record(incoming).then(
      async (request) => {
        requests.push(request)
        await upstream.handler(new TestExchange(request, response))
      },
      // The client disconnected while sending.
      () => response.destroy(),
    )
  }
  const server = tls ? createTlsServer(tls, answer) : createServer(answer)
  server.on('connection', () => {
    connections += 1
  })
  const port = await listen(server)
  const upstream: TestUpstream = {
    url: `http${tls ? 's' : ''}://127.0.0.1:${port}`,
    server,
    handler,
    requests,
    connections: () => connections,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
  return upstream
}

/** A target on the openai-chat format with short time limits; `overrides` replaces its members. */
export function testTarget(baseUrl: string, overrides: Partial<Target> = {}): Target {
  return {
    providerId: 'acme',
    apiFormat: 'openai-chat',
    otherFormats: [],
    completions: null,
    completionsPath: null,
    hosting: null,
    authorization: null,
    baseUrl,
    upstreamModel: 'acme-large',
    servedModel: 'acme-large',
    maxOutputTokens: null,
    headers: {},
    network: null,
    promptCache: true,
    webSocket: false,
    quirks: {},
    signatures: new ReasoningSignatureCache().scopeTo('key_test', 'openai-chat'),
    needsCredential: true,
    credentialOrder: [0],
    connectTimeoutMs: 2000,
    firstByteTimeoutMs: 5000,
    stallTimeoutMs: 5000,
    totalTimeoutMs: 15_000,
    ...overrides,
  }
}

/** A stream's chunk with one choice, in OpenAI's format. */
export function testChunk(delta: JsonObject, finishReason: string | null = null, index = 0): JsonObject {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_760_000_000,
    model: 'acme-large-2026',
    choices: [{ index, delta, finish_reason: finishReason }],
  }
}

/** A plain answer with the text `content`. */
export function testCompletion(content: string): JsonObject {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_760_000_000,
    model: 'acme-large-2026',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 },
  }
}

/** Answers as a vendor does that bills so many tokens, in one piece or as a stream. `more`: further members of its usage. */
export function billing(
  promptTokens: number,
  completionTokens: number,
  more: JsonObject = {},
  text = 'Hi',
): (exchange: TestExchange) => void {
  const usage = {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    ...more,
  }
  const answer = { texts: [text], usage, model: 'acme-large-2026' }
  return (exchange) => exchange.answer('openai-chat', answer)
}
