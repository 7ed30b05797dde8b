import { type Answer, expectOk, raiseLimits, type TestClient } from '../../gateway/testing/gateway.ts'
import { forFile } from '../../gateway/testing/lifetime.ts'
import {
  billing,
  type RecordedRequest,
  startTestUpstream,
  type TestExchange,
  testChunk,
} from '../../gateway/upstream/testing/test-upstream.ts'
import { type Program, shareProgram, startProgram } from './program.ts'
import { testSection } from './rule.ts'
import type { Section } from './rule-name.ts'

/** Handles the `nth` request (from 1) for a model. */
export type ModelHandler = (exchange: TestExchange, nth: number) => void | Promise<void>

interface UnansweredChat {
  /** Null once the client has left or the gateway was killed. */
  answer: Promise<Answer | null>
  /** Disconnects the client. */
  leave(): Promise<void>
}

/** A test upstream with a handler for each model, configured as a provider of the gateway under test. */
export interface ScriptedUpstream {
  url: string
  /** Adds a model with its handler, priced at 1 and 2 USD per million tokens by default. */
  model(id: string, handler: ModelHandler, override?: Record<string, unknown>): Promise<void>
  /** Adds a model at a new provider, so that its failures affect no other test. Returns the model's id. */
  modelAtNewProvider(
    handler: ModelHandler,
    override?: Record<string, unknown>,
    limits?: object,
  ): Promise<string>
  /** Starts a chat with a new model that never answers, and resolves when it has the request. */
  startUnanswered(
    id: string,
    body?: Record<string, unknown>,
    options?: Parameters<TestClient['chat']>[1],
  ): Promise<UnansweredChat>
  /** The requests for a model so far. */
  calls(id: string): RecordedRequest[]
  /** Sets the credential again, which a restarted program does not remember. */
  setCredential(): Promise<void>
  close(): Promise<void>
}

/** Starts a program and its upstream for all tests of the file, with the plan's rate limits unless it says otherwise. */
export async function startForFile({ rateLimits = true } = {}): Promise<{
  tollgate: Program
  upstream: ScriptedUpstream
}> {
  const tollgate = await forFile(startProgram())
  if (!rateLimits) await raiseLimits(tollgate)
  return { tollgate, upstream: await forFile(startScriptedUpstream(tollgate)) }
}

/** Shares the program of the worker. `test` declares rules of the section. */
export async function shareSection(section: Section) {
  return { test: testSection(section), tollgate: await shareProgram() }
}

/** `shareSection`, with an upstream for the file. */
export async function shareForFile(section: Section) {
  const shared = await shareSection(section)
  return { ...shared, upstream: await forFile(startScriptedUpstream(shared.tollgate)) }
}

/** Starts the upstream and adds it as a provider. */
export async function startScriptedUpstream(
  tollgate: TestClient,
  provider = 'acme',
): Promise<ScriptedUpstream> {
  const handlers = new Map<string, ModelHandler>()
  const calls = new Map<string, RecordedRequest[]>()
  const upstream = await startTestUpstream(async (exchange) => {
    if (exchange.request.method === 'GET') {
      exchange.reply(200, {
        object: 'list',
        data: [...handlers.keys()].map((id) => ({ id, object: 'model' })),
      })
      return
    }
    const model = String(exchange.request.json().model)
    const nth = [...(calls.get(model) ?? []), exchange.request]
    calls.set(model, nth)
    const handler = handlers.get(model)
    if (handler) await handler(exchange, nth.length)
    else exchange.reply(404, { error: { message: 'no such model' } })
  })
  await tollgate.addProvider(provider, upstream.url, [])
  let providers = 0
  async function addModel(
    id: string,
    handler: ModelHandler,
    override: Record<string, unknown> = {},
  ): Promise<void> {
    handlers.set(id, handler)
    const pricing = { inputPerMillion: 1, outputPerMillion: 2 }
    const body = { provider, pricing, maxOutputTokens: 1000, ...override }
    await expectOk(tollgate.call('PUT', `/v1/models/${id}`, { body }))
  }
  return {
    url: upstream.url,
    model: addModel,
    async modelAtNewProvider(handler, override = {}, limits = {}) {
      providers += 1
      const id = `model-${providers}`
      const credential = `canary-credential-${id}`
      const body = { apiFormat: 'openai-chat', baseUrl: upstream.url, credential, ...limits }
      await tollgate.call('PUT', `/v1/providers/${id}`, { body })
      await addModel(id, handler, { provider: id, ...override })
      return id
    },
    async startUnanswered(id, body = {}, options = {}) {
      const quiet = neverResponds()
      await addModel(id, quiet.handler)
      const client = new AbortController()
      const answer = tollgate
        .chat({ model: id, ...body }, { ...options, signal: client.signal })
        .catch(() => null)
      await quiet.received
      return {
        answer,
        async leave() {
          client.abort()
          await answer
        },
      }
    },
    setCredential: () => tollgate.addProvider(provider, upstream.url, []),
    calls: (id) => calls.get(id) ?? [],
    close: () => upstream.close(),
  }
}

/** Responds with `content`, plain or streamed as requested. */
export const says = (content: string): ModelHandler => billing(5, 3, {}, content)

/** Fails with a status, and allows an immediate retry. */
export function fails(
  status: number,
  error: object = { message: 'out of order' },
  headers = {},
): ModelHandler {
  return (exchange) => exchange.reply(status, { error }, { 'retry-after-ms': '1', ...headers })
}

/** Ends a stream with an error after the text "Half". */
export const breaks: ModelHandler = (exchange) => {
  exchange
    .begin()
    .data(testChunk({ role: 'assistant', content: 'Half' }))
    .data({ error: { message: 'it broke' } })
    .end()
}

/** Adds the models `fails-503`, `breaks` and `late`, whose provider's first byte never comes in time. */
export async function addFailingModels(tollgate: TestClient, upstream: ScriptedUpstream): Promise<void> {
  await upstream.model('fails-503', fails(503))
  await upstream.model('breaks', breaks)
  await tollgate.call('PUT', '/v1/providers/slow-one', {
    body: { apiFormat: 'openai-chat', baseUrl: upstream.url, firstByteTimeoutMs: 20 },
  })
  await upstream.model('late', () => undefined, { provider: 'slow-one' })
}

/** Never responds. `received` resolves with the request, `disconnected` when the gateway disconnects. */
export function neverResponds(): {
  handler: ModelHandler
  received: Promise<void>
  disconnected: Promise<void>
} {
  const received = Promise.withResolvers<void>()
  const disconnected = Promise.withResolvers<void>()
  const handler: ModelHandler = (exchange) => {
    received.resolve()
    void exchange.disconnected.then(disconnected.resolve)
  }
  return { handler, received: received.promise, disconnected: disconnected.promise }
}
