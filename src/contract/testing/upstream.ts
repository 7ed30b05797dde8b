// Owns an upstream that plays a part for each model, set up as a provider of the gateway under test.
import type { TestClient } from '../../gateway/testing/gateway.ts'
import {
  type RecordedRequest,
  startTestUpstream,
  type TestExchange,
  testChunk,
  testCompletion,
} from '../../gateway/upstream/testing/test-upstream.ts'

/** What the upstream does with the `nth` request (from 1) for a model. */
export type Part = (exchange: TestExchange, nth: number) => void | Promise<void>

export interface Stage {
  url: string
  /** Puts a model that is served by `part`, priced 1 and 2 USD per million tokens unless `override` says otherwise. */
  model(id: string, part: Part, override?: Record<string, unknown>): Promise<void>
  /** What was asked of a model so far. */
  calls(id: string): RecordedRequest[]
  /** The gateway was started anew: from now on models are put there, and the credential is given to it again. */
  follow(tollgate: TestClient): Promise<void>
  close(): Promise<void>
}

/** Starts the upstream and adds it as a provider. */
export async function startStage(tollgate: TestClient, provider = 'acme'): Promise<Stage> {
  let client = tollgate
  const parts = new Map<string, Part>()
  const calls = new Map<string, RecordedRequest[]>()
  const upstream = await startTestUpstream(async (exchange) => {
    if (exchange.request.method === 'GET') {
      exchange.reply(200, { object: 'list', data: [...parts.keys()].map((id) => ({ id, object: 'model' })) })
      return
    }
    const model = String(exchange.request.json().model)
    const nth = [...(calls.get(model) ?? []), exchange.request]
    calls.set(model, nth)
    const part = parts.get(model)
    if (part) await part(exchange, nth.length)
    else exchange.reply(404, { error: { message: 'no such part' } })
  })
  await tollgate.addProvider(provider, upstream.url, [])
  return {
    url: upstream.url,
    async model(id, part, override = {}) {
      parts.set(id, part)
      const pricing = { inputPerMillion: 1, outputPerMillion: 2 }
      const body = { provider, pricing, maxOutputTokens: 1000, ...override }
      const put = await client.call('PUT', `/v1/models/${id}`, { body })
      if (put.status !== 200) throw new Error(`the model was refused: ${put.text}`)
    },
    async follow(restarted) {
      client = restarted
      await client.addProvider(provider, upstream.url, [])
    },
    calls: (id) => calls.get(id) ?? [],
    close: () => upstream.close(),
  }
}

/** Answers with `content`, plain or streamed as the request asks. */
export function says(content: string): Part {
  return (exchange) => {
    if (exchange.request.json().stream !== true) return exchange.reply(200, testCompletion(content))
    const usage = { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 }
    exchange
      .begin()
      .data(testChunk({ role: 'assistant', content: '' }), testChunk({ content }), testChunk({}, 'stop'))
      .data({ ...testChunk({}), choices: [], usage }, '[DONE]')
      .end()
  }
}

/** Fails with a status. Retries are told to come at once. */
export function fails(status: number, error: object = { message: 'out of order' }, headers = {}): Part {
  return (exchange) => exchange.reply(status, { error }, { 'retry-after-ms': '1', ...headers })
}

/** Says nothing at all, and tells when the gateway has hung up. */
export function silence(): { part: Part; asked: Promise<void>; gone: Promise<void> } {
  const asked = Promise.withResolvers<void>()
  const gone = Promise.withResolvers<void>()
  const part: Part = (exchange) => {
    asked.resolve()
    void exchange.gone.then(gone.resolve)
  }
  return { part, asked: asked.promise, gone: gone.promise }
}
