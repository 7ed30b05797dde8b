// After a fault at any point of a request, the request is settled, nothing stays reserved but what it declares to hold, and no
// upstream call is still running. The points are found by running each request once and counting the calls between parts of
// the gateway. Then the request is repeated once per point with that call throwing; `npm test` takes the first and the last call of
// each part.

import { afterAll, describe, expect, it } from 'vitest'
import { StreamNormalizer } from '../formats/chat/normalize.ts'
import { ChatStreamWriter } from '../formats/openai-chat/client/codec.ts'
import { HttpClientStream } from '../http/send-response.ts'
import { Idempotency } from '../idempotency/idempotency.ts'
import { ApiKeys } from '../keys/api-keys.ts'
import { Catalog } from '../models/catalog/catalog.ts'
import { ProviderModels } from '../models/catalog/model-discovery.ts'
import { Credentials } from '../models/providers/credentials.ts'
import { ProviderRegistry } from '../models/providers/registry.ts'
import { TokenCounter } from '../models/tokens/token-counter.ts'
import { Settings } from '../settings/settings.ts'
import { AccountService } from '../spend/account.ts'
import { Budget } from '../spend/budget.ts'
import { RateLimits } from '../spend/rates/rate-limits.ts'
import { startTestGateway } from '../testing/gateway.ts'
import { forFile } from '../testing/lifetime.ts'
import { CircuitBreakers } from '../upstream/circuit-breaker.ts'
import { UpstreamPool } from '../upstream/connection-pool.ts'
import {
  startTestUpstream,
  type TestExchange,
  testChunk,
  testCompletion,
} from '../upstream/testing/test-upstream.ts'
import { Forecast } from './forecast.ts'
import { InFlightRequests } from './in-flight.ts'
import { Ledger } from './ledger.ts'
import { StreamSpend } from './stream-budget.ts'
import { TokenMeter } from './token-meter.ts'

const PARTS = [
  ...[
    AccountService,
    Budget,
    CircuitBreakers,
    Catalog,
    Credentials,
    Forecast,
    Idempotency,
    ApiKeys,
    Ledger,
    TokenMeter,
  ],
  ...[
    ProviderRegistry,
    ProviderModels,
    RateLimits,
    HttpClientStream,
    InFlightRequests,
    Settings,
    ChatStreamWriter,
  ],
  ...[StreamNormalizer, StreamSpend, TokenCounter, UpstreamPool],
]
/** Called by a timer, not by a request. */
const ON_A_TIMER = new Set(['ApiKeys.flush'])

const EVERY_POINT = process.env.TEST_LENGTH === 'long'

class InjectedFault extends Error {}

/** Counts the calls between the parts while it is armed, and throws at one of them. */
class Injector {
  names: string[] = []
  #armed = false
  #failAt = -1
  readonly #undo: (() => void)[] = []

  constructor() {
    for (const part of PARTS) this.#wrap(part.name, part.prototype)
  }

  arm(failAt: number): void {
    this.names = []
    this.#failAt = failAt
    this.#armed = true
  }

  disarm(): void {
    this.#armed = false
  }

  restore(): void {
    for (const undo of this.#undo) undo()
  }

  #wrap(part: string, prototype: object): void {
    for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
      if (name === 'constructor' || ON_A_TIMER.has(`${part}.${name}`)) continue
      const wrapped = { ...property }
      if (typeof property.value === 'function')
        wrapped.value = this.#counting(`${part}.${name}`, property.value)
      if (property.get) wrapped.get = this.#counting(`${part}.${name}`, property.get)
      Object.defineProperty(prototype, name, wrapped)
      this.#undo.push(() => Object.defineProperty(prototype, name, property))
    }
  }

  #counting<T>(name: string, original: (...args: unknown[]) => T): (...args: unknown[]) => T {
    const note = () => {
      if (!this.#armed) return
      this.names.push(name)
      if (this.names.length - 1 === this.#failAt) throw new InjectedFault(`${name} failed`)
    }
    return function (this: unknown, ...args: unknown[]): T {
      note()
      return original.apply(this, args)
    }
  }
}

const usage = { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 }
const stream = (exchange: TestExchange) =>
  exchange
    .begin()
    .data(
      testChunk({ role: 'assistant', content: 'Hello' }),
      testChunk({ content: ' world' }),
      testChunk({}, 'stop'),
    )
    .data({ ...testChunk({}), choices: [], usage }, '[DONE]')
    .end()

type Json = Awaited<ReturnType<typeof tollgate.getAccount>>

let open = 0
let injector: Injector
let key: { id: string; secret: string }

const upstream = await forFile(
  startTestUpstream((exchange) => {
    open += 1
    exchange.response.once('close', () => {
      open -= 1
    })
    const { model, stream: streamed } = exchange.request.json()
    if (model === 'busy') exchange.reply(400, { error: { message: 'not like this' } })
    else if (model === 'endless') exchange.begin().data(testChunk({ role: 'assistant', content: 'Hello' }))
    else if (streamed) stream(exchange)
    else exchange.reply(200, testCompletion('Hi'))
  }),
)
const tollgate = await forFile(startTestGateway())
await tollgate.addProvider('acme', upstream.url, ['fine', 'busy', 'endless'])
await tollgate.addProvider('one-by-one', upstream.url, [], { apiFormat: 'openai-chat' })
key = await tollgate.createKey({ name: 'faults', scope: 'full', spendLimitUsd: 1_000 })
injector = new Injector()

afterAll(async () => {
  injector.restore()
})

/** Sends the request and reads the whole answer; with `disconnect`, only its start. Times out after 5 seconds. */
async function send(body: object, headers: Record<string, string>, disconnect: boolean): Promise<void> {
  const client = new AbortController()
  const response = await fetch(`${tollgate.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }], ...body }),
    signal: AbortSignal.any([client.signal, AbortSignal.timeout(5_000)]),
  })
  if (disconnect) {
    await response.body?.getReader().read()
    client.abort()
  } else await response.text()
}

/** Calls as the owner, who may poll as often as he likes. */
async function callAsOwner(method: string, path: string): Promise<Json> {
  const response = await tollgate.gateway.fetchAsOwner(new Request(`app://tollgate${path}`, { method }))
  return await response.json()
}

async function expectSettled(point: string): Promise<void> {
  await expect
    .poll(
      async () => {
        // Amounts that a provider may still bill are declared.
        for (const { id } of (await callAsOwner('GET', '/v1/requests?held=true&limit=500')).data)
          await callAsOwner('POST', `/v1/requests/${id}/release`)
        const { reservedUsd } = await callAsOwner('GET', `/v1/keys/${key.id}`)
        const account = await callAsOwner('GET', '/v1/account')
        const running = (await callAsOwner('GET', '/v1/requests?status=running')).data
        return { reservedUsd, ofAccount: account.reservedUsd, running: running.length, open }
      },
      { message: `after a fault at ${point}`, interval: 5 },
    )
    .toEqual({ reservedUsd: 0, ofAccount: 0, running: 0, open: 0 })
}

describe('a fault at any point of a request leaves nothing behind', () => {
  const requests: [string, { body: object; headers?: () => Record<string, string>; disconnect?: boolean }][] =
    [
      ['plain', { body: { model: 'fine' } }],
      ['streamed', { body: { model: 'fine', stream: true } }],
      ['rejected by its provider', { body: { model: 'busy' } }],
      ['aborted by its client', { body: { model: 'endless', stream: true }, disconnect: true }],
      [
        'stored for a replay',
        {
          body: { model: 'fine', stream: true },
          headers: () => ({ 'idempotency-key': crypto.randomUUID() }),
        },
      ],
    ]

  it.each(requests)(
    '%s',
    { timeout: 120_000 },
    async (_, { body, headers = () => ({}), disconnect = false }) => {
      await send(body, headers(), disconnect)
      await expectSettled('no fault')
      injector.arm(-1)
      await send(body, headers(), disconnect)
      const { names } = injector
      injector.disarm()
      const points = names.keys().filter((at) => {
        const name = names[at] ?? ''
        return EVERY_POINT || names.indexOf(name) === at || names.lastIndexOf(name) === at
      })
      expect(names.length).toBeGreaterThan(30)
      for (const point of points) {
        injector.arm(point)
        await send(body, headers(), disconnect).catch(() => undefined)
        const name = injector.names[point] ?? 'a point that was not reached'
        await new Promise((resolve) => setImmediate(resolve))
        injector.disarm()
        await expectSettled(`${name} (${point})`)
      }
      const { spendUsd } = await tollgate.getKey(key.id)
      const inLedger = (await tollgate.call('GET', '/v1/usage?groupBy=key')).json.total.costUsd
      expect(spendUsd).toBeCloseTo(inLedger, 9)
    },
  )
})
