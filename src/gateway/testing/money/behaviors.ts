// The behaviors of the scripted provider, and the possible cost of a call with each. An input token costs 1,000
// nano-dollars (1 USD per million), an output token 2,000.
import { setTimeout as delay } from 'node:timers/promises'
import { type TestExchange, testChunk, testCompletion } from '../../upstream/testing/test-upstream.ts'

export const BEHAVIORS = [
  'exact',
  'missing-usage',
  'zero-usage',
  'absurd-usage',
  'usage-of-wrong-types',
  'failed-once',
  'failed-twice',
  'always-failed',
  'refused',
  'reset-once',
  'reset-after-head-once',
  'stalled-once',
  'error-inside',
  'truncated',
] as const
export type Behavior = (typeof BEHAVIORS)[number]

/** Those that take half a second or more: the gateway waits between attempts. */
export const SLOW: readonly Behavior[] = ['reset-once', 'reset-after-head-once', 'stalled-once']

/** Those with implausible usage. They use a separate model: what the gateway learns from them raises its reservations. */
export const IMPLAUSIBLE: readonly Behavior[] = ['zero-usage', 'absurd-usage', 'usage-of-wrong-types']

/** The script of one call: how the provider behaves, and the true token counts. */
export interface Part {
  behavior: Behavior
  promptTokens: number
  outputTokens: number
  /** Chooses among the kinds of implausible usage, and among the statuses. */
  variant: number
  /** Milliseconds until the provider responds, so that concurrent calls overlap. */
  delayMs?: number
}

const BYTES_PER_TOKEN = 4
const AT_ONCE = { 'retry-after-ms': '1' }
const STATUSES = [429, 500, 503]

/** Text of such a length that its estimated tokens equal the reported ones. */
export function contentOf(tag: string, outputTokens: number): string {
  return tag.padEnd(outputTokens * BYTES_PER_TOKEN, ' word')
}

function usageOf({ promptTokens, outputTokens, behavior, variant }: Part): unknown {
  const actual = {
    prompt_tokens: promptTokens,
    completion_tokens: outputTokens,
    total_tokens: promptTokens + outputTokens,
  }
  const oneOf = (values: readonly unknown[]) => values[variant % values.length]
  switch (behavior) {
    case 'missing-usage':
      return undefined
    case 'zero-usage':
      return { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }
    case 'absurd-usage':
      return oneOf([
        { ...actual, completion_tokens: 1e12 },
        { ...actual, prompt_tokens: 1e12 },
        { ...actual, prompt_tokens: 1e300 },
        { ...actual, completion_tokens: -1 },
        { ...actual, cost: 1_000_000 },
      ])
    case 'usage-of-wrong-types':
      return oneOf([
        [],
        'much',
        { ...actual, prompt_tokens: '17' },
        { ...actual, completion_tokens: 1.5 },
        { ...actual, completion_tokens: null },
      ])
    default:
      return actual
  }
}

function answer(exchange: TestExchange, content: string, usage: unknown): void {
  if (exchange.request.json().stream !== true) {
    exchange.reply(200, { ...testCompletion(content), usage })
    return
  }
  beginStream(exchange, content)
    .data(testChunk({}, 'stop'))
    .data({ ...testChunk({}), choices: [], usage }, '[DONE]')
    .end()
}

/** Sends a stream's head and its text. */
export function beginStream(exchange: TestExchange, content: string): TestExchange {
  return exchange.begin().data(testChunk({ role: 'assistant', content: '' }), testChunk({ content }))
}

/** Responds to the `nth` request of a call, from 1. */
export async function respond(exchange: TestExchange, part: Part, tag: string, nth: number): Promise<void> {
  const content = contentOf(tag, part.outputTokens)
  if (part.delayMs !== undefined) await delay(part.delayMs)
  const fail = (status: number) =>
    exchange.reply(status, { error: { message: 'failed' } }, status === 400 ? {} : AT_ONCE)
  const status = STATUSES[(part.variant + nth) % STATUSES.length] ?? 500
  switch (part.behavior) {
    case 'failed-once':
      return nth > 1 ? answer(exchange, content, usageOf(part)) : fail(status)
    case 'failed-twice':
      return nth > 2 ? answer(exchange, content, usageOf(part)) : fail(status)
    case 'always-failed':
      return fail(status)
    case 'refused':
      return fail(400)
    case 'reset-once':
      return nth > 1 ? answer(exchange, content, usageOf(part)) : exchange.reset()
    case 'reset-after-head-once': {
      if (nth > 1) return answer(exchange, content, usageOf(part))
      const stream = exchange.request.json().stream === true
      exchange.begin({ 'content-type': stream ? 'text/event-stream' : 'application/json' })
      return exchange.reset()
    }
    case 'stalled-once':
      return nth > 1 ? answer(exchange, content, usageOf(part)) : exchange.disconnected
    case 'error-inside': {
      const error = { type: 'server_error', code: '500', message: 'overloaded' }
      if (exchange.request.json().stream !== true) return fail(500)
      return beginStream(exchange, content).data({ error }).end()
    }
    case 'truncated':
      if (exchange.request.json().stream !== true) return fail(400)
      return beginStream(exchange, content).end()
    default:
      return answer(exchange, content, usageOf(part))
  }
}

/** The least and the most that a call can cost, in nano-dollars. */
export interface CostBounds {
  low: number
  high: number
}

/** A token has at least one byte, so a prompt cannot have more tokens than bytes; the rest is a safety margin. */
const MARGIN = 3
/** Tokens; what an answer is assumed to have that never came. */
const LIKELY_OUTPUT = 1_000

/** The bounds for the charge of one upstream call, before the plan's discount. */
export function costBounds(part: Part, stream: boolean, promptBytes: number): CostBounds {
  const { behavior, promptTokens, outputTokens } = part
  const exact = promptTokens * 1_000 + outputTokens * 2_000
  const most = MARGIN * (promptBytes * 1_000 + (outputTokens + LIKELY_OUTPUT) * 2_000)
  switch (behavior) {
    case 'always-failed':
    case 'refused':
      return { low: 0, high: 0 }
    case 'error-inside':
    case 'truncated':
      // Interrupted before its usage report: the text received is charged.
      return stream ? { low: 1, high: most } : { low: 0, high: 0 }
    case 'missing-usage':
    case 'zero-usage':
    case 'absurd-usage':
    case 'usage-of-wrong-types':
      return { low: 1, high: most }
    default:
      return { low: exact, high: exact }
  }
}
