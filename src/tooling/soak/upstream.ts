// The provider for the soak test, in the same process. Most of its responses are correct; the others fail as real providers
// do. It records which usage it reported for each call.
import { setTimeout as delay } from 'node:timers/promises'
import type { Random } from '../../gateway/testing/random.ts'
import { startTestUpstream, type TestExchange } from '../../gateway/upstream/testing/test-upstream.ts'
import { vendorFormats, writeStream } from '../../gateway/upstream/testing/vendor-formats.ts'

interface Usage {
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
}

const chat = vendorFormats['openai-chat']

/** One response to send. */
interface Reply {
  exchange: TestExchange
  stream: boolean
  content: string
  /** The usage that a correct response reports. */
  usage: Usage
  random: Random
}

type Behavior = (reply: Reply) => void | Promise<void>

/** Makes the gateway retry without delay. */
const AT_ONCE = { 'retry-after-ms': '5' }

const answered =
  (getUsage: (reply: Reply) => unknown): Behavior =>
  (reply) => {
    const { exchange, stream, content } = reply
    const usage = getUsage(reply)
    if (!stream) return exchange.reply(200, chat.plain({ texts: [content], usage }))
    startStream(reply)
      .data(...chat.end({ usage }), '[DONE]')
      .end()
  }

/** The head and all text of a stream. */
function startStream({ exchange, content }: Reply): TestExchange {
  exchange.begin().data(...chat.begin({}))
  for (const word of content.split(/(?<= )/)) exchange.data(chat.delta(word))
  return exchange
}

const exact = answered(({ usage }) => usage)
const missing = answered(() => undefined)
const zero = answered(() => ({ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }))
const absurd = answered(({ usage, random }) =>
  random.any<unknown>([
    { ...usage, completion_tokens: 1e12 },
    { ...usage, prompt_tokens: 1e15 },
    { ...usage, prompt_tokens: -5 },
    { ...usage, completion_tokens: '17' },
    { ...usage, cost: 1_000_000 },
    { ...usage, cost: -1 },
    { ...usage, prompt_tokens: 1.5 },
    [],
    'much',
  ]),
)

const fails =
  (status: number): Behavior =>
  ({ exchange }) =>
    exchange.reply(status, { error: { message: 'out of order' } }, AT_ONCE)

const resetAfterHead: Behavior = ({ exchange, stream, content }) => {
  const text = JSON.stringify(chat.plain({ texts: [content] }))
  const type = stream ? 'text/event-stream' : 'application/json'
  exchange.begin({ 'content-type': type }).raw(stream ? '' : text.slice(0, text.length / 2))
  setTimeout(() => exchange.reset(), 5)
}

const stall: Behavior = async (reply) => {
  if (reply.random.chance(0.5) && reply.stream) startStream(reply)
  await reply.exchange.disconnected
}

const drip: Behavior = async ({ exchange, stream, content, usage }) => {
  const answer = { texts: [content], usage }
  const text = stream ? writeStream('openai-chat', answer) : JSON.stringify(chat.plain(answer))
  exchange.begin({ 'content-type': stream ? 'text/event-stream' : 'application/json' })
  const step = Math.ceil(text.length / 20)
  for (let at = 0; at < text.length && !exchange.response.destroyed; at += step) {
    exchange.raw(text.slice(at, at + step))
    await delay(10)
  }
  exchange.end()
}

const errorInside: Behavior = (reply) => {
  const error = { type: 'server_error', message: 'overloaded' }
  if (!reply.stream) return reply.exchange.reply(200, { error })
  startStream(reply).data({ error }).end()
}

const truncated: Behavior = (reply) => {
  if (reply.stream) return startStream(reply).end()
  const text = JSON.stringify(chat.plain({ texts: [reply.content] }))
  reply.exchange.reply(200, text.slice(0, -5))
}

/** A second, unrequested response on the same connection. */
const twice: Behavior = (reply) => {
  const { socket } = reply.exchange.response
  reply.exchange.response.once('finish', () => {
    const body = JSON.stringify(chat.plain({ texts: ['an answer to no request'], usage: reply.usage }))
    const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`
    // Immediately, or when the connection may already be in use for another request.
    setTimeout(() => socket?.writable && socket.write(head + body), reply.random.below(6))
  })
  return exact(reply)
}

const of = (name: string, weight: number, behavior: Behavior) => ({ name, weight, behavior })
type WeightedBehavior = ReturnType<typeof of>

const STEADY: readonly WeightedBehavior[] = [
  of('exact', 70, exact),
  of('missing', 4, missing),
  of('429', 4, fails(429)),
  of('500', 4, fails(500)),
  of('503', 2, fails(503)),
  of('400', 2, fails(400)),
  of('reset', 2, resetAfterHead),
  of('stall', 1, stall),
  of('drip', 5, drip),
  of('error-inside', 3, errorInside),
  of('truncated', 3, truncated),
]

/** Models, and the behaviors for each. Capped keys use only `steady`: a false report could exceed any cap. */
const MODELS: Readonly<Record<string, readonly WeightedBehavior[]>> = {
  steady: STEADY,
  wild: [of('exact', 20, exact), of('zero', 4, zero), of('absurd', 4, absurd), ...STEADY.slice(1)],
  twice: [of('twice', 3, twice), of('exact', 5, exact)],
}

export interface MisbehavingUpstream {
  url: string
  /** The responses to a call, in order. */
  done(tag: string): readonly { name: string; usage: Usage }[]
  /** Forgets calls that were checked. */
  forget(): void
  close(): Promise<void>
}

export async function startMisbehavingUpstream(random: Random): Promise<MisbehavingUpstream> {
  let done = new Map<string, { name: string; usage: Usage }[]>()
  const upstream = await startTestUpstream(async (exchange) => {
    upstream.requests.length = 0
    if (exchange.request.method === 'GET') return exchange.reply(200, { object: 'list', data: [] })
    const request = exchange.request.json()
    const tag = /call-\d+/.exec(exchange.request.body)?.[0] ?? ''
    const known = MODELS[String(request.model)] ?? STEADY
    const { name, behavior } = random.pick(known)
    const content = `answer to ${tag} ${'word '.repeat(random.below(40))}`
    const counted = { prompt_tokens: random.between(5, 60), completion_tokens: random.between(1, 300) }
    const usage = { ...counted, total_tokens: counted.prompt_tokens + counted.completion_tokens }
    done.set(tag, [...(done.get(tag) ?? []), { name, usage }])
    await behavior({ exchange, stream: request.stream === true, content, usage, random })
  })
  return {
    url: upstream.url,
    done: (tag) => done.get(tag) ?? [],
    forget: () => {
      done = new Map()
    },
    close: () => upstream.close(),
  }
}
