// A whole gateway for tests: real sockets, a real database in a temporary folder, credentials in memory.
import { rmSync } from 'node:fs'
import type { KeyCreated } from '../../shared/api/keys.ts'
import type { RequestRecord } from '../../shared/api/requests.ts'
import { createGateway } from '../compose/gateway.ts'
import type { Gateway, GatewayOptions, SystemNetwork } from '../compose/gateway-api.ts'
import type { Bridge } from '../http/container-listener.ts'
import type { CredentialEnvironment, CredentialStore } from '../models/providers/credential-store.ts'
import { TokenCounter } from '../models/tokens/token-counter.ts'
import type { Clock } from '../platform/clock.ts'
import { type Log, silentLog } from '../platform/log.ts'
import { openStore } from '../store/store.ts'
import { startInSameThread } from '../store/testing/same-thread.ts'
import { createDataDir } from './data-dir.ts'
import { shortWaits } from './short-waits.ts'

/** A gateway as its clients see it: only HTTP. */
export interface TestClient {
  baseUrl: string
  admin: string
  /** A call with the admin key, or with `as`. A body that is not a string is sent as JSON. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  createKey(body: Record<string, unknown>): Promise<KeyCreated>
  chat(body: Record<string, unknown>, options?: CallOptions): Promise<Answer>
  /** A streamed chat completion whose answer is read by the test. */
  openStream(body: Record<string, unknown>, options?: CallOptions): Promise<Response>
  /** Adds a provider and its models, priced at 1 USD per million input tokens and 2 USD per million output tokens. */
  addProvider(
    id: string,
    baseUrl: string,
    models: readonly string[],
    more?: Record<string, unknown>,
  ): Promise<void>
  records(): Promise<RequestRecord[]>
  getRecord(id: unknown): Promise<Json>
  getKey(id: string): Promise<Json>
  getAccount(): Promise<Json>
}

export interface TestGateway extends TestClient {
  gateway: Gateway
  dataDir: string
  /** Closes it, and starts another with its data and credentials, at another address. */
  restart(): Promise<void>
  close(): Promise<void>
}

interface CallOptions {
  as?: string
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal
}

export interface Answer {
  status: number
  headers: Headers
  text: string
  /** The body as JSON; null when it is none. */
  json: Json
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
type Json = any

export function createMemoryCredentials(): CredentialStore {
  const secrets = new Map<string, string>()
  return {
    kind: 'memory',
    get: async (account) => secrets.get(account) ?? null,
    set: async (account, secret) => void secrets.set(account, secret),
    delete: async (account) => void secrets.delete(account),
  }
}

async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text()
  let json: Json = null
  try {
    json = JSON.parse(text)
  } catch {
    // Streams and empty bodies have only a text.
  }
  return { status: response.status, headers: response.headers, text, json }
}

/** Throws unless the call succeeded. */
export async function expectOk(call: Promise<Answer>): Promise<Answer> {
  const answer = await call
  if (answer.status >= 300) throw new Error(`It was refused with ${answer.status}: ${answer.text}`)
  return answer
}

/** More than any test sends. */
export const RAISED_LIMITS = { requestsPerMinute: 1_000_000_000, tokensPerMinute: Number.MAX_SAFE_INTEGER }

/** Sets the rate limits of the plans. */
export async function raiseLimits(client: Pick<TestClient, 'call'>): Promise<void> {
  const body = { planLimits: { 'pay-as-you-go': RAISED_LIMITS, bundle: RAISED_LIMITS } }
  await expectOk(client.call('PATCH', '/v1/settings', { body }))
}

/** Calls the gateway at `baseUrl`, with the admin key unless a call says otherwise. */
export function testClient(baseUrl: string, admin: string): TestClient {
  function send(
    method: string,
    path: string,
    { as = admin, body, headers, signal }: CallOptions = {},
  ): Promise<Response> {
    const init: RequestInit = {
      method,
      headers: {
        ...(as === '' ? {} : { authorization: `Bearer ${as}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
    }
    if (body !== undefined) init.body = typeof body === 'string' ? body : JSON.stringify(body)
    if (signal) init.signal = signal
    return fetch(baseUrl + path, init)
  }
  const call: TestClient['call'] = async (...args) => readAnswer(await send(...args))
  const chatBody = (body: Record<string, unknown>) => ({
    model: 'sandbox-small',
    messages: [{ role: 'user', content: 'Hello' }],
    ...body,
  })

  return {
    baseUrl,
    admin,
    call,
    createKey: async (body) => (await expectOk(call('POST', '/v1/keys', { body }))).json,
    chat: (body, more) => call('POST', '/v1/chat/completions', { body: chatBody(body), ...more }),
    openStream: (body, more) =>
      send('POST', '/v1/chat/completions', { body: chatBody({ stream: true, ...body }), ...more }),
    async addProvider(id, url, models, more = {}) {
      const body = { apiFormat: 'openai-chat', baseUrl: url, credential: `secret-of-${id}`, ...more }
      await expectOk(call('PUT', `/v1/providers/${id}`, { body }))
      const pricing = { inputPerMillion: 1, outputPerMillion: 2 }
      for (const model of models)
        await call('PUT', `/v1/models/${model}`, { body: { provider: id, pricing, maxOutputTokens: 1000 } })
    },
    records: async () => (await call('GET', '/v1/requests?limit=500')).json.data,
    getRecord: async (id) => (await call('GET', `/v1/requests/${id}`)).json,
    getKey: async (id) => (await call('GET', `/v1/keys/${id}`)).json,
    getAccount: async () => (await call('GET', '/v1/account')).json,
  }
}

interface TestGatewayOptions {
  /** Members that it lacks are those of the system's clock, with short pauses between the attempts of a request. */
  clock?: Partial<Clock>
  dataDir?: string
  log?: Log
  admin?: string
  credentials?: CredentialStore
  environment?: CredentialEnvironment
  priceDataUrl?: string
  findBridge?: () => Bridge
  interfaceDir?: string
  webhookRetryMs?: readonly number[]
  systemNetwork?: SystemNetwork
  agents?: GatewayOptions['agents']
  /** Whether the store has threads of its own, as in the program. */
  hasStoreThreads?: boolean
}

/** Stays for all gateways of the process: loading the vocabulary takes longer than most tests. */
class SharedTokenCounter extends TokenCounter {
  override async close(): Promise<void> {}
}

const tokens = new SharedTokenCounter()

export async function startTestGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const dataDir = options.dataDir ?? createDataDir()
  const credentials = options.credentials ?? createMemoryCredentials()
  const start = async () => {
    const started = {
      dataDir,
      version: '0.0.0-test',
      credentials,
      log: options.log ?? silentLog,
      clock: { ...shortWaits, ...options.clock },
      interfaceDir: options.interfaceDir ?? null,
      createAdminKey: true,
      ...(options.findBridge ? { findBridge: options.findBridge } : {}),
      ...(options.webhookRetryMs ? { webhookRetryMs: options.webhookRetryMs } : {}),
      ...(options.systemNetwork ? { systemNetwork: options.systemNetwork } : {}),
      ...(options.agents ? { agents: options.agents } : {}),
      ...(options.environment ? { environment: options.environment } : {}),
      ...(options.priceDataUrl ? { priceDataUrl: options.priceDataUrl } : {}),
    }
    const store = openStore(
      options.hasStoreThreads ? started : { ...started, startWorker: startInSameThread },
    )
    const gateway = await createGateway(started, store, { tokens })
    const { baseUrl } = await gateway.listen(0)
    return { gateway, baseUrl }
  }
  const { gateway, baseUrl } = await start()
  const tollgate: TestGateway = {
    ...testClient(baseUrl, options.admin ?? gateway.adminKey ?? ''),
    gateway,
    dataDir,
    async restart() {
      await tollgate.gateway.close()
      const again = await start()
      Object.assign(tollgate, testClient(again.baseUrl, tollgate.admin), { gateway: again.gateway })
    },
    async close() {
      await tollgate.gateway.close()
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true })
    },
  }
  return tollgate
}

/** The `data:` payloads of a stream, parsed; `[DONE]` as text. */
export function readData(stream: string): Json[] {
  return stream
    .split('\n\n')
    .filter((event) => event.startsWith('data: '))
    .map((event) => event.slice('data: '.length))
    .map((text) => (text === '[DONE]' ? text : JSON.parse(text)))
}
