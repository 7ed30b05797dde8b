// Responses over WebSockets of providers, as OpenAI, xAI and others offer them (developers.openai.com/docs/guides/websocket-mode). A
// turn takes the place of a POST request, and its events that of the body of a streamed answer, so that time limits, metering and
// failures are the same for both.
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { type buildConnector, type Dispatcher, errors } from 'undici'
import type { WebSocket } from 'ws'
import type { Network } from '../../shared/api/account.ts'
import { editMembers } from '../formats/json/edit-json.ts'
import { asObject, isObject, type JsonObject, parseJson } from '../formats/json/json.ts'
import { RESPONSE_ENDS } from '../formats/openai-responses/stream.ts'
import type { Clock } from '../platform/clock.ts'
import { connectWith } from './network/outbound.ts'

/** The server that requests of one origin go to. */
export interface SocketServer {
  connect: buildConnector.connector
  clock: Clock
  /** Monotonic milliseconds until which it is not asked for a WebSocket again, because it has refused one. */
  withoutSocketsUntil: number
}

/** What a turn continues: a response, and how many of the items of its input belong to that response and those before it. */
export interface Continuation {
  id: string
  knownItems: number
  total: number
}

interface SocketRequest {
  url: string
  headers: Record<string, string>
  body: string | Buffer | null
  network?: Network | null
}

type Handler = Dispatcher.DispatchHandler

/** Stands for an exchange that has not begun. */
const NOT_SENT: Dispatcher.DispatchController = {
  aborted: false,
  paused: false,
  reason: null,
  abort: () => undefined,
  pause: () => undefined,
  resume: () => undefined,
}

/** How long a server that has no WebSockets is sent POST requests only. */
const REFUSED_MS = 10 * 60_000
const HANDSHAKE_MS = 30_000
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024
/** Statuses of a handshake that say nothing of WebSockets: the POST request gets the same answer, in its own words. */
const isPassing = (status: number): boolean => status === 401 || status === 429 || status >= 500
/** Errors before a turn has begun after which the same turn may succeed, in whole or over a new connection. */
const UNKNOWN_RESPONSE = 'previous_response_not_found'
const TOO_OLD = 'websocket_connection_limit_reached'
/** Headers of a POST request, or of one request among several. */
const OF_REQUEST = /^(?:content-.*|accept|accept-encoding|traceparent|tracestate)$/

/** The providers' ends of one client's WebSocket. They are closed with it. */
export class ProviderSockets {
  /** Set before the turn that continues it. */
  continuation: Continuation | null = null
  #open: ProviderSocket | null = null
  #isClosed = false

  /**
   * Sends the request as a turn, and hands the answer on as HTTP would. `post` sends it by HTTP, where the server has no
   * WebSockets or the one that is open is used.
   */
  async dispatch(
    request: SocketRequest,
    handler: Handler,
    server: SocketServer,
    post: () => void,
  ): Promise<void> {
    const { clock } = server
    if (this.#open?.isBusy || clock.monotonic() < server.withoutSocketsUntil) return post()
    try {
      const socket = await this.#find(request, server)
      if (socket) socket.run({ text: String(request.body), handler, continuation: this.continuation })
      else post()
    } catch (error) {
      handler.onResponseError?.(NOT_SENT, error instanceof Error ? error : new Error(String(error)))
    }
  }

  close(): void {
    this.#isClosed = true
    this.#open?.ws.terminate()
  }

  /** Null if the server refuses WebSockets. Throws if it cannot be reached. */
  async #find(request: SocketRequest, server: SocketServer): Promise<ProviderSocket | null> {
    const headers = Object.entries(request.headers).filter(([name]) => !OF_REQUEST.test(name))
    const name = JSON.stringify([request.url, request.network, headers])
    if (this.#open?.name === name && this.#open.isOpen) return this.#open
    this.#open?.ws.terminate()
    this.#open = null
    const opened = await openSocket(request.url, Object.fromEntries(headers), server.connect)
    if (typeof opened === 'number') {
      if (!isPassing(opened)) server.withoutSocketsUntil = server.clock.monotonic() + REFUSED_MS
      return null
    }
    if (this.#isClosed) opened.terminate()
    this.#open = new ProviderSocket(opened, name)
    return this.#open
  }
}

/** The status if the server answers with something else than a WebSocket. Redirects are not followed. */
async function openSocket(
  url: string,
  headers: Record<string, string>,
  connect: buildConnector.connector,
): Promise<WebSocket | number> {
  const { WebSocket } = await import('ws')
  const { protocol, hostname, host, port } = new URL(url)
  const socket = await connectWith(connect, { protocol, hostname, host, port })
  const agent = protocol === 'https:' ? new HttpsAgent() : new HttpAgent()
  agent.createConnection = () => socket
  return await new Promise((resolve, reject) => {
    const ws = new WebSocket(url.replace(/^http/, 'ws'), {
      headers,
      maxPayload: MAX_MESSAGE_BYTES,
      handshakeTimeout: HANDSHAKE_MS,
      perMessageDeflate: false,
      followRedirects: false,
      agent,
    })
    ws.once('open', () => resolve(ws))
    ws.once('unexpected-response', (_request, response) => {
      response.destroy()
      resolve(response.statusCode ?? 500)
    })
    ws.on('error', reject)
  })
}

interface Turn {
  /** The body of the POST request. */
  text: string
  handler: Handler
  continuation: Continuation | null
}

/** One WebSocket, which answers one turn at a time. */
class ProviderSocket {
  readonly ws: WebSocket
  /** Its address and headers: another one is opened for others. */
  readonly name: string
  #exchange: Exchange | null = null
  /** The response that the provider remembers on this connection. */
  #lastId: string | null = null
  /** The response of the turn that ended last, of which events may still come. */
  #endedId: string | null = null

  constructor(ws: WebSocket, name: string) {
    this.ws = ws
    this.name = name
    ws.on('message', (data) => this.#receive(String(data)))
    ws.once('close', () => this.#exchange?.fail(new errors.SocketError('other side closed')))
  }

  get isBusy(): boolean {
    return this.#exchange !== null && !this.#exchange.isOver
  }

  get isOpen(): boolean {
    return this.ws.readyState === this.ws.OPEN
  }

  run(turn: Turn): void {
    const exchange = new Exchange(this.ws, turn)
    this.#exchange = exchange
    turn.handler.onRequestStart?.(exchange, {})
    if (exchange.aborted) return
    exchange.isContinued = turn.continuation !== null && turn.continuation.id === this.#lastId
    this.ws.send(createMessage(turn, exchange.isContinued))
  }

  #receive(text: string): void {
    const exchange = this.#exchange
    if (!exchange || exchange.isOver) return
    const event = asObject(parseJson(text))
    const { id } = asObject(event.response)
    if (event.type === 'error') {
      this.#refuse(exchange, event, text)
      return
    }
    if (this.#isLate(exchange, String(event.type), id)) return
    exchange.receive(text, event.type)
    if (typeof id === 'string') exchange.responseId = id
    if (!RESPONSE_ENDS.has(event.type)) return
    this.#lastId = event.type === 'response.failed' ? null : exchange.responseId
    this.#end(exchange)
  }

  /** Whether an event belongs to the turn before. Most events have no id, but the first one of a turn does. */
  #isLate({ hasBegun, responseId }: Exchange, type: string, id: unknown): boolean {
    if (this.#endedId === null || type === 'response.created') return false
    if (typeof id === 'string') return id === this.#endedId && id !== responseId
    return !hasBegun && type.startsWith('response.')
  }

  #end(exchange: Exchange): void {
    this.#endedId = exchange.responseId
    exchange.end()
  }

  #refuse(exchange: Exchange, event: JsonObject, text: string): void {
    this.#lastId = null
    const { code } = asObject(event.error)
    if (exchange.hasBegun) {
      exchange.receive(text, event.type)
      this.#end(exchange)
    } else if (code === UNKNOWN_RESPONSE && exchange.isContinued) {
      exchange.isContinued = false
      this.ws.send(createMessage(exchange.turn, false))
    } else if (code === TOO_OLD) {
      // A failure like that of an HTTP connection which the server has closed: the turn is tried again.
      this.ws.terminate()
    } else {
      exchange.refuse(event)
    }
  }
}

/** The message for the body of a POST request; a turn that is continued leaves out what the provider knows. */
function createMessage({ text, continuation }: Turn, isContinued: boolean): string {
  const edits = { stream: undefined, background: undefined, type: 'response.create' }
  const { input } = isContinued ? asObject(parseJson(text)) : {}
  if (!continuation || !Array.isArray(input) || input.length !== continuation.total)
    return editMembers(text, edits)
  const { id, knownItems: known } = continuation
  return editMembers(text, { ...edits, previous_response_id: id, input: input.slice(known) })
}

/** A turn as an HTTP exchange: its events are the body. */
class Exchange implements Dispatcher.DispatchController {
  readonly turn: Turn
  readonly #ws: WebSocket
  hasBegun = false
  isOver = false
  isContinued = false
  responseId: string | null = null
  reason: Error | null = null

  constructor(ws: WebSocket, turn: Turn) {
    this.#ws = ws
    this.turn = turn
  }

  get aborted(): boolean {
    return this.reason !== null
  }

  get paused(): boolean {
    return this.#ws.isPaused
  }

  pause(): void {
    this.#ws.pause()
  }

  resume(): void {
    this.#ws.resume()
  }

  /** Nothing else tells a provider for certain to stop. */
  abort(reason: Error): void {
    if (this.isOver) return
    this.reason = reason
    this.isOver = true
    this.#ws.terminate()
  }

  receive(text: string, type: unknown): void {
    if (!this.hasBegun) this.#begin(200, { 'content-type': 'text/event-stream' })
    this.#write(`event: ${type}\n${text.replaceAll(/^/gm, 'data: ')}\n\n`)
  }

  refuse({ status, headers, error }: JsonObject): void {
    const isStatus = typeof status === 'number' && Number.isInteger(status) && status >= 400 && status <= 599
    this.#begin(isStatus ? status : 500, { ...readHeaders(headers), 'content-type': 'application/json' })
    this.#write(JSON.stringify({ error }))
    this.end()
  }

  end(): void {
    this.isOver = true
    this.turn.handler.onResponseEnd?.(this, {})
  }

  fail(error: Error): void {
    if (this.isOver) return
    this.isOver = true
    this.turn.handler.onResponseError?.(this, error)
  }

  #begin(status: number, headers: Record<string, string>): void {
    this.hasBegun = true
    this.turn.handler.onResponseStart?.(this, status, headers)
  }

  #write(text: string): void {
    this.turn.handler.onResponseData?.(this, Buffer.from(text))
  }
}

function readHeaders(headers: unknown): Record<string, string> {
  if (!isObject(headers)) return {}
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)] as const)
  return Object.fromEntries(entries)
}
