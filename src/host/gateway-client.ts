// Calls the gateway that runs on a data dir, over its local socket, as the owner of this machine.
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { ErrorEnvelope } from '../shared/api/errors.ts'
import { LiveEvent } from '../shared/api/events.ts'
import { type CallArgs, type CalledOperationId, describeCall } from '../shared/api/operation-calls.ts'
import { responseSchemas } from '../shared/api/operation-responses.ts'
import type { ResponseOf } from '../shared/api/operations.ts'
import { parseAnswer } from '../shared/api/parse-answer.ts'
import { routes } from '../shared/api/routes.ts'
import { findSocket } from './find-socket.ts'

/** No gateway runs on the data dir. The message is for the user. */
export class NotRunningError extends Error {
  override name = 'NotRunningError'
  constructor(options?: ErrorOptions) {
    super('Tollgate is not running. Start the desktop app, or: tollgate serve', options)
  }
}

/** The gateway refused a call. The message is the gateway's, for the user. */
export class RefusedCallError extends Error {
  override name = 'RefusedCallError'
  readonly status: number
  readonly code: string | null

  constructor(status: number, body: string) {
    const error = parseError(body)
    super(error?.message ?? `Tollgate answered with HTTP ${status}.`)
    this.status = status
    this.code = error?.code ?? null
  }
}

interface Call {
  method: string
  path: string
  /** JSON, or a file. */
  body?: string | Uint8Array | undefined
  signal?: AbortSignal | undefined
}

export class GatewayClient {
  readonly dataDir: string

  constructor(dataDir: string) {
    this.dataDir = dataDir
  }

  /** Calls an operation. Throws NotRunningError, RefusedCallError, UnknownAnswerError and LocalSocketError. */
  async call<K extends CalledOperationId>(
    id: K,
    ...args: CallArgs<K, { signal?: AbortSignal; file?: Uint8Array }>
  ): Promise<ResponseOf<K>> {
    const call = describeCall(id, args[0])
    const { signal, file } = args[0] ?? {}
    const answer = await this.#send({ ...call, body: file ?? call.body, signal })
    return parseAnswer(responseSchemas[id].response, await text(answer))
  }

  /** Live events, from the moment of the call, until the gateway stops or `signal` aborts. */
  async events(signal: AbortSignal): Promise<AsyncIterable<LiveEvent>> {
    const { method, path } = routes.streamEvents
    return parseEvents(await this.#send({ method, path, signal }), signal)
  }

  /** A call by its path, whatever its answer. Throws NotRunningError and LocalSocketError. */
  async fetch(
    path: string,
    { method = 'GET', body }: { method?: string; body?: string } = {},
  ): Promise<Response> {
    const answer = await sendOver(this.#socketPath(), { method, path, body })
    return new Response(await text(answer), { status: answer.statusCode ?? 0 })
  }

  async #send(call: Call): Promise<IncomingMessage> {
    const answer = await sendOver(this.#socketPath(), call)
    const status = answer.statusCode ?? 0
    if (status >= 400) throw new RefusedCallError(status, await text(answer))
    return answer
  }

  #socketPath(): string {
    const path = findSocket(this.dataDir)
    if (path === null) throw new NotRunningError()
    return path
  }
}

function sendOver(socketPath: string, { method, path, body, signal }: Call): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const type = typeof body === 'string' ? 'application/json' : 'application/octet-stream'
    const headers = { host: 'localhost', ...(body === undefined ? {} : { 'content-type': type }) }
    request({ socketPath, method, path, headers, agent: false, ...(signal ? { signal } : {}) }, resolve)
      .on('error', (error) => reject(isAbsent(error) ? new NotRunningError({ cause: error }) : error))
      .end(body)
  })
}

/** A crash leaves the socket, which then refuses connections. */
function isAbsent(error: NodeJS.ErrnoException): boolean {
  return error.code === 'ENOENT' || error.code === 'ECONNREFUSED'
}

async function* parseEvents(answer: IncomingMessage, signal: AbortSignal): AsyncGenerator<LiveEvent> {
  const received: EventSourceMessage[] = []
  const parser = createParser({ onEvent: (event) => received.push(event) })
  answer.setEncoding('utf8')
  try {
    for await (const chunk of answer) {
      parser.feed(String(chunk))
      for (const { data } of received.splice(0)) yield LiveEvent.parse(JSON.parse(data))
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

function parseError(body: string) {
  try {
    return ErrorEnvelope.parse(JSON.parse(body)).error
  } catch {
    return null
  }
}
