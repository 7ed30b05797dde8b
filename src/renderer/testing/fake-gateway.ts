// A gateway for component tests. It implements `fetch` with the shared table of operations, with responses that satisfy their
// schemas, and records its calls.
import { vi } from 'vitest'
import type { LiveEvent } from '../../shared/api/events.ts'
import type { KeyMetadata, KeyUpdate } from '../../shared/api/keys.ts'
import type { Operation } from '../../shared/api/operations/operation.ts'
import {
  isJsonOperation,
  type JsonOperationId,
  type OperationId,
  operations,
  type ResponseOf,
} from '../../shared/api/operations.ts'
import { createSecretHint } from '../../shared/api/terms.ts'
import { USAGE_GROUPS } from '../../shared/api/usage.ts'
import { ChatRequest } from '../../shared/formats/chat.ts'
import { noUsage } from '../data/periods.ts'
import { type FakeAnswer, streamChatAnswer } from './fake-chat.ts'
import * as rows from './rows.ts'

interface FakeCall {
  operation: OperationId
  /** The id in the path; blank where the path has none. */
  id: string
  query: Readonly<Record<string, string>>
  body: unknown
}

type Handler<K extends JsonOperationId> = (call: FakeCall) => ResponseOf<K> | Promise<ResponseOf<K>>
type ChatHandler = (request: ChatRequest) => FakeAnswer
type Handlers = { [K in JsonOperationId]?: Handler<K> }

/** A handler throws it to respond with an error envelope. */
export class FakeError extends Error {
  readonly status: number
  readonly type: string
  readonly param: string | undefined
  readonly code: string | undefined

  constructor(status: number, message: string, type = 'server_error', param?: string, code?: string) {
    super(message)
    this.status = status
    this.type = type
    this.param = param
    this.code = code
  }
}

/** A new gateway has one sandbox model, no key and an empty log. */
const defaults: Handlers = {
  getGateway: () => rows.gatewayInfo,
  getNetwork: () => rows.networkStatus,
  getAccount: () => rows.account,
  listPlans: () => ({ data: rows.plans }),
  getSettings: () => rows.settings,
  listKeys: () => ({ data: [] }),
  createKey: ({ body }) => ({
    ...(body as { name: string; scope: 'completions-only' }),
    id: 'key_new',
    createdAt: '2026-11-21T12:00:00.000Z',
    secret: 'tg-secret',
  }),
  listProviders: () => ({ data: [] }),
  listModels: () =>
    modelList([rows.modelRow('sandbox-small', { provider: 'sandbox', providers: ['sandbox'] })]),
  listRequests: () => ({ data: [], nextCursor: null }),
  listRunningRequests: () => ({ data: [], todaySpendUsd: 0 }),
  getRequestTotals: () => rows.requestTotals,
  getUsage: ({ query }) => usage(query, []),
  getCaching: () => rows.caching(),
  getHistory: () => ({ found: [], imported: [], running: null, expiring: null, last: null }),
  listSessions: () => ({ data: [], nextCursor: null }),
  getSessionTotals: () => ({
    ...{ sessions: 0, costUsd: 0, medianUsd: null },
    hidden: { sessions: 0, costUsd: 0 },
  }),
  listApprovals: () => ({ data: [] }),
  listBatchJobs: () => ({ data: [], hasMore: false }),
  listActivity: () => ({ data: [], nextCursor: null, unread: 0 }),
  markActivitySeen: () => ({ unread: 0 }),
  rehearse: () => rows.noRehearsal,
  getPrices: () => rows.prices,
  listPriceSuggestions: () => ({ data: [] }),
  getTelemetry: () => rows.telemetry,
  getWebhook: () => ({ url: null, lastDelivery: null }),
  listBackups: () => ({ data: [], restoreAtStart: null }),
  discoverProviders: () => ({ data: [] }),
  listEnvironmentCredentials: () => ({ data: [] }),
}

export function modelList(data: ResponseOf<'listModels'>['data']): ResponseOf<'listModels'> {
  return { object: 'list', data, has_more: false, first_id: null, last_id: null }
}

/** The response of `getUsage` to a query. */
export function usage(
  { groupBy = 'day' }: Readonly<Record<string, string>>,
  data: ResponseOf<'getUsage'>['data'],
): ResponseOf<'getUsage'> {
  return {
    groupBy: USAGE_GROUPS.find((group) => group === groupBy) ?? 'day',
    timeZone: 'UTC',
    data,
    total: noUsage,
  }
}

export class FakeGateway {
  /** All calls so far, in order. */
  readonly calls: FakeCall[] = []
  /** The files of the built window, by path. */
  readonly files = new Map<string, string>()
  #handlers: Handlers = { ...defaults }
  #streams = new Set<ReadableStreamDefaultController<Uint8Array>>()
  #reachable = true
  #eventsError: FakeError | null = null
  #chat: ChatHandler = () => ({ text: 'Hello.' })
  #created: KeyMetadata[] = []

  /** Replaces `fetch` with this gateway, until `vi.unstubAllGlobals()`. */
  install(): this {
    vi.stubGlobal('fetch', (path: string, init: RequestInit = {}) => this.#fetch(path, init))
    return this
  }

  /** Handles an operation with `handler` from now on. */
  on<K extends JsonOperationId>(operation: K, handler: Handler<K>): this {
    this.#handlers = { ...this.#handlers, [operation]: handler }
    return this
  }

  /** Handles an operation as a new gateway does, from now on. */
  reset(operation: JsonOperationId): void {
    this.#handlers = { ...this.#handlers, [operation]: defaults[operation] }
  }

  /** Fails an operation from now on. */
  fail(operation: JsonOperationId, message: string, status = 500): this {
    return this.on(operation, () => {
      throw new FakeError(status, message)
    })
  }

  /** Handles chat completions with `handler` from now on. */
  onChat(handler: ChatHandler): this {
    this.#chat = handler
    return this
  }

  /** Keeps the calls of an operation pending until `answer` is called. */
  hold<K extends JsonOperationId>(operation: K): { answer: (response: ResponseOf<K>) => void } {
    const { promise, resolve } = Promise.withResolvers<ResponseOf<K>>()
    this.on(operation, () => promise)
    return { answer: resolve }
  }

  listCalls(operation: OperationId): FakeCall[] {
    return this.calls.filter((call) => call.operation === operation)
  }

  /** Sends a live event on every open stream of `GET /v1/events`. */
  send(event: LiveEvent): void {
    const data = new TextEncoder().encode(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    for (const stream of this.#streams) stream.enqueue(data)
  }

  /** Closes the event streams, and rejects every connection until `restore()`. */
  disconnect(): void {
    this.#reachable = false
    for (const stream of this.#streams) stream.close()
    this.#streams.clear()
  }

  restore(): void {
    this.#reachable = true
    this.#eventsError = null
  }

  /** Answers `GET /v1/events` with an error until `restore()`. */
  failEvents(status: number, message: string): void {
    this.#eventsError = new FakeError(status, message)
  }

  #fileAt(path: string): Response {
    const file = this.files.get(path)
    return file === undefined ? new Response('Not found', { status: 404 }) : new Response(file)
  }

  async #fetch(path: string, { method = 'GET', body, signal }: RequestInit): Promise<Response> {
    if (!this.#reachable) throw new TypeError('Failed to fetch')
    const url = new URL(path, 'http://127.0.0.1:8655')
    if (!url.pathname.startsWith('/v1/')) return this.#fileAt(url.pathname)
    const [operation, id] = findOperation(method, url.pathname)
    const call: FakeCall = {
      operation,
      id,
      query: Object.fromEntries(url.searchParams),
      body: typeof body === 'string' ? JSON.parse(body) : undefined,
    }
    this.calls.push(call)
    if (operation === 'streamEvents') {
      return this.#eventsError ? errorResponse(this.#eventsError) : this.#eventStream(signal)
    }
    if (operation === 'createChatCompletion') {
      return streamChatAnswer(this.#chat(ChatRequest.parse(call.body)), signal)
    }
    if (operation === 'getBackupFile') return new Response(`The file of ${id}`)
    const answer = this.#answer(operation, call)
    return signal ? Promise.race([answer, rejectOnAbort(signal)]) : answer
  }

  async #answer(operation: OperationId, call: FakeCall): Promise<Response> {
    const handler = isJsonOperation(operation) ? this.#handlers[operation] : undefined
    if (!handler) throw new Error(`The fake gateway has no answer for ${operation}`)
    try {
      const { response, ...row }: Operation = operations[operation]
      const body = this.#rememberKeys(operation, call, await handler(call))
      return Response.json(response.parse(body), { status: row.status ?? 200 })
    } catch (thrown) {
      if (!(thrown instanceof FakeError)) throw thrown
      return errorResponse(thrown)
    }
  }

  /** The keys that were created are in the list of keys from then on. */
  #rememberKeys(operation: OperationId, { body }: FakeCall, response: unknown): unknown {
    if (operation === 'createKey') {
      const { id, createdAt, secret } = response as ResponseOf<'createKey'>
      const key = rows.keyRow(id, { createdAt, secretHint: createSecretHint(secret) })
      this.#created.push(rows.patchKey(key, body as KeyUpdate))
    }
    if (operation !== 'listKeys') return response
    return { data: [...this.#created, ...(response as ResponseOf<'listKeys'>).data] }
  }

  #eventStream(signal: AbortSignal | null | undefined): Response {
    const body = new ReadableStream<Uint8Array>({
      start: (stream) => {
        this.#streams.add(stream)
        signal?.addEventListener('abort', () => {
          if (this.#streams.delete(stream)) stream.error(abortError())
        })
      },
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }
}

const patterns = (Object.entries(operations) as [OperationId, Operation][]).map(([id, { method, path }]) => {
  const pattern = path.replace(/\{\w+(\+?)\}/, (_, slashes: string) => (slashes ? '(.+)' : '([^/]+)'))
  return { id, method, hasId: path.includes('{'), pattern: new RegExp(`^${pattern}$`) }
})
// Fixed paths win over those with an id.
patterns.sort((a, b) => Number(a.hasId) - Number(b.hasId))

/** The operation of a method and path, and the id in that path. */
function findOperation(method: string, path: string): [OperationId, string] {
  for (const { id, method: own, pattern } of patterns) {
    const match = own === method ? pattern.exec(path) : null
    if (match) return [id, decodeURIComponent(match[1] ?? '')]
  }
  throw new Error(`No operation is ${method} ${path}`)
}

function errorResponse({ status, type, message, param, code }: FakeError): Response {
  const more = { ...(param ? { param } : {}), ...(code ? { code } : {}) }
  return Response.json({ error: { type, message, ...more } }, { status })
}

function abortError(): DOMException {
  return new DOMException('The operation was aborted.', 'AbortError')
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(abortError())
    else signal.addEventListener('abort', () => reject(abortError()))
  })
}
