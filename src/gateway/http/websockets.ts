// WebSocket connections: how many there may be, how large their messages are, and when they end. What a message means is up to
// the session that a connection belongs to.
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocket, WebSocketServer } from 'ws'
import { type Clock, getTimers, type Timers } from '../platform/clock.ts'
import { GatewayError } from '../platform/errors.ts'
import { type BodyMemory, MAX_BODY_BYTES } from './read-body.ts'
import { formatRawErrorResponse } from './send-response.ts'

/** Serves the upgrade requests that it accepts; all others are ordinary requests. */
export interface Upgrades {
  accepts(request: IncomingMessage): boolean
  serve(request: IncomingMessage, socket: Duplex, head: Buffer): void
}

export const SOCKET_LIMITS = {
  perKey: 16,
  total: 64,
  messageBytes: MAX_BODY_BYTES,
  /** How long a message may take to arrive, as the body of a request. */
  messageMs: 60_000,
  /** How long a connection may do nothing. Agents run a tool, such as a test suite, between two turns. */
  idleMs: 30 * 60_000,
  /** How often a client is asked whether it is still there. */
  pingMs: 30_000,
  /** How long a client has to answer the end of a connection. */
  closeMs: 1_000,
}

/** The end of a connection that the session sends on. */
export interface SocketPeer {
  /** Resolves when the message is on its way, or cannot be sent. */
  send(text: string): Promise<void>
  /** To be called when no turn is running any more. */
  settled(): void
}

/** What a connection is for. */
export interface SocketSession {
  readonly isBusy: boolean
  receive(text: string): void
  /** Whether its caller may still use the gateway. Asked from time to time. */
  isAllowed(): boolean
  /** The client has left. */
  leave(): void
}

interface Connection {
  ws: WebSocket
  session: SocketSession
}

/** A request for a connection. */
interface Handshake {
  request: IncomingMessage
  socket: Duplex
  head: Buffer
  /** Holds the messages of which a part has arrived. */
  memory: BodyMemory
}

/** Codes of RFC 6455. */
const CLOSED_NORMALLY = 1000
const GOING_AWAY = 1001
const UNSUPPORTED = 1003
const POLICY = 1008
const TRY_AGAIN_LATER = 1013

/** The header and the mask of a ping or a pong of a client. */
const CONTROL_FRAME_BYTES = 6

export class WebSockets {
  readonly #limits: typeof SOCKET_LIMITS
  readonly #stopping: AbortSignal
  readonly #timers: Timers
  readonly #counts = new Map<string, number>()
  readonly #open = new Set<Connection>()
  #total = 0
  #server: Promise<WebSocketServer> | null = null

  constructor({ stopping, clock }: { stopping: AbortSignal; clock: Clock }, limits = SOCKET_LIMITS) {
    this.#limits = limits
    this.#timers = getTimers(clock)
    this.#stopping = stopping
    stopping.addEventListener('abort', () => {
      for (const connection of this.#open) this.#endIfStopping(connection)
    })
  }

  /** Counts a connection of the key, until `release` is called. Throws 426 when there are too many. */
  admit(keyId: string): { release(): void } {
    const { perKey, total } = this.#limits
    const count = this.#counts.get(keyId) ?? 0
    if (count >= perKey) throw tooMany(`This key has ${perKey} WebSockets`)
    if (this.#total >= total) throw tooMany(`All keys together have ${total} WebSockets`)
    this.#counts.set(keyId, count + 1)
    this.#total += 1
    return {
      release: () => {
        const left = (this.#counts.get(keyId) ?? 1) - 1
        if (left === 0) this.#counts.delete(keyId)
        else this.#counts.set(keyId, left)
        this.#total -= 1
      },
    }
  }

  /** Completes the handshake. `onEnd` is called once, also when the handshake fails. */
  async open(
    { request, socket, head, memory }: Handshake,
    createSession: (peer: SocketPeer) => SocketSession,
    onEnd: () => void,
  ): Promise<void> {
    if (socket.closed) return onEnd()
    socket.once('close', onEnd)
    const server = await this.#load()
    if (socket.destroyed) return
    server.handleUpgrade(request, socket, head, (ws) => {
      this.#limitUnfinished(ws, socket, memory)
      this.#run(ws, createSession)
    })
  }

  /** Loaded with the first connection, as few programs use one. */
  #load(): Promise<WebSocketServer> {
    this.#server ??= import('ws').then((library) => {
      const server = new library.WebSocketServer({
        noServer: true,
        clientTracking: false,
        maxPayload: this.#limits.messageBytes,
        handleProtocols: () => false,
      })
      return server.on('wsClientError', ({ message }, socket) => {
        // RFC 6455, 4.4, requires the header in the answer to another version.
        socket.end(formatRawErrorResponse(400, `${message}.`, { 'sec-websocket-version': '13, 8' }))
      })
    })
    return this.#server
  }

  /**
   * Limits the memory and the time of a message until all of it has arrived. The library keeps its fragments, and says
   * nothing of them.
   */
  #limitUnfinished(ws: WebSocket, socket: Duplex, memory: BodyMemory): void {
    const timers = this.#timers
    let unfinished = 0
    let slow: NodeJS.Timeout | null = null
    // Before the library reads the same bytes.
    socket.prependListener('data', ({ byteLength }: Buffer) => {
      try {
        memory.reserve(byteLength)
        unfinished += byteLength
        slow ??= timers.setTimeout(refuseSlow, this.#limits.messageMs)
      } catch {
        this.#refuse(ws, TRY_AGAIN_LATER, 'Messages use all the memory that this key may have.')
      }
    })
    const refuseSlow = () => this.#refuse(ws, POLICY, 'The message took too long to arrive.')
    const finish = (bytes: number): void => {
      unfinished = Math.max(0, unfinished - bytes)
      if (unfinished > 0) return
      memory.release()
      timers.clear(slow)
      slow = null
    }
    const finishControl = ({ byteLength }: Buffer) => finish(byteLength + CONTROL_FRAME_BYTES)
    ws.on('message', () => finish(unfinished))
    ws.on('ping', finishControl).on('pong', finishControl)
    ws.once('close', () => finish(unfinished))
  }

  #run(ws: WebSocket, createSession: (peer: SocketPeer) => SocketSession): void {
    const { idleMs, pingMs } = this.#limits
    const timers = this.#timers
    const connection: Connection = {
      ws,
      session: createSession({
        send: (text) => new Promise((resolve) => ws.send(text, () => resolve())),
        settled: () => {
          idle.refresh()
          this.#endIfStopping(connection)
        },
      }),
    }
    const { session } = connection
    this.#open.add(connection)
    const idle = timers.setTimeout(() => {
      if (session.isBusy) idle.refresh()
      else this.#end(ws, CLOSED_NORMALLY, 'The connection was idle for too long.')
    }, idleMs)
    let isThere = true
    const ping = timers.setInterval(() => {
      if (!session.isBusy && !session.isAllowed())
        return this.#end(ws, POLICY, 'The key of this connection is no longer valid.')
      // Its machine may be asleep or gone, of which TCP says nothing.
      if (!isThere) return ws.terminate()
      isThere = false
      ws.ping()
    }, pingMs)
    ws.on('pong', () => {
      isThere = true
    })
    ws.on('message', (data, isBinary) => {
      isThere = true
      idle.refresh()
      // It sends without reading the answers.
      if (ws.bufferedAmount > this.#limits.messageBytes) ws.terminate()
      else if (isBinary) this.#end(ws, UNSUPPORTED, 'Send text messages.')
      else session.receive(String(data))
    })
    // The library closes the connection by itself, with the code for the error.
    ws.on('error', () => undefined)
    ws.once('close', () => {
      timers.clear(idle)
      timers.clear(ping)
      this.#open.delete(connection)
      session.leave()
    })
    this.#endIfStopping(connection)
  }

  #endIfStopping({ ws, session }: Connection): void {
    if (this.#stopping.aborted && !session.isBusy) this.#end(ws, GOING_AWAY, 'Tollgate is shutting down.')
  }

  /** Ends a connection without reading more of it. */
  #refuse(ws: WebSocket, code: number, reason: string): void {
    this.#end(ws, code, reason)
    ws.pause()
  }

  #end(ws: WebSocket, code: number, reason: string): void {
    ws.close(code, reason)
    this.#timers.setTimeout(() => ws.terminate(), this.#limits.closeMs).unref()
  }
}

/** Codex uses HTTP immediately after this status alone. */
function tooMany(what: string): GatewayError {
  return new GatewayError({
    status: 426,
    code: 'too_many_websockets',
    message: `${what} open, the most allowed. Close one, or send POST requests: their streams are server-sent events.`,
    headers: { connection: 'close', upgrade: 'HTTP/1.1' },
  })
}
