// The behaviours of the scripted provider, and what a call with each of them may cost. An input token costs 1,000
// nano-dollars (1 USD per million), an output token 2,000.
import { setTimeout as delay } from 'node:timers/promises'
import { type TestExchange, testChunk, testCompletion } from '../../upstream/testing/test-upstream.ts'

export const BEHAVIOURS = [
  'exact',
  'missing-usage',
  'zero-usage',
  'absurd-usage',
  'usage-of-wrong-types',
  'failed-once',
  'failed-twice',
  'failed-for-good',
  'refused',
  'reset-once',
  'reset-after-head-once',
  'stalled-once',
  'error-inside',
  'truncated',
] as const
export type Behaviour = (typeof BEHAVIOURS)[number]

/** Those that cost a pause of half a second or more: the gateway waits between tries. */
export const SLOW: readonly Behaviour[] = ['reset-once', 'reset-after-head-once', 'stalled-once']

/** Those whose usage cannot be true. They are asked of a model of their own: what it learns keeps others out. */
export const LIES: readonly Behaviour[] = ['zero-usage', 'absurd-usage', 'usage-of-wrong-types']

/** What one call is: how the provider behaves, and what it reports when it reports the truth. */
export interface Part {
  behaviour: Behaviour
  promptTokens: number
  outputTokens: number
  /** Chooses among the kinds of lies and statuses. */
  variant: number
  /** How long the provider takes, so that calls made together also run together. */
  takesMs?: number
}

const BYTES_PER_TOKEN = 4
const AT_ONCE = { 'retry-after-ms': '1' }
const STATUSES = [429, 500, 503]

/** So much text that a count by its length comes to the tokens that are reported. */
export function contentOf(tag: string, outputTokens: number): string {
  return tag.padEnd(outputTokens * BYTES_PER_TOKEN, ' word')
}

function usageOf({ promptTokens, outputTokens, behaviour, variant }: Part): unknown {
  const truth = {
    prompt_tokens: promptTokens,
    completion_tokens: outputTokens,
    total_tokens: promptTokens + outputTokens,
  }
  const oneOf = (values: readonly unknown[]) => values[variant % values.length]
  switch (behaviour) {
    case 'missing-usage':
      return undefined
    case 'zero-usage':
      return { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }
    case 'absurd-usage':
      return oneOf([
        { ...truth, completion_tokens: 1e12 },
        { ...truth, prompt_tokens: 1e12 },
        { ...truth, prompt_tokens: 1e300 },
        { ...truth, completion_tokens: -1 },
        { ...truth, cost: 1_000_000 },
      ])
    case 'usage-of-wrong-types':
      return oneOf([
        [],
        'much',
        { ...truth, prompt_tokens: '17' },
        { ...truth, completion_tokens: 1.5 },
        { ...truth, completion_tokens: null },
      ])
    default:
      return truth
  }
}

function answer(exchange: TestExchange, content: string, usage: unknown): void {
  if (exchange.request.json().stream !== true) {
    exchange.reply(200, { ...testCompletion(content), usage })
    return
  }
  begun(exchange, content)
    .data(testChunk({}, 'stop'))
    .data({ ...testChunk({}), choices: [], usage }, '[DONE]')
    .end()
}

/** A stream's head and its text. */
export function begun(exchange: TestExchange, content: string): TestExchange {
  return exchange.begin().data(testChunk({ role: 'assistant', content: '' }), testChunk({ content }))
}

/** Plays the part in the `nth` request of a call, from 1. */
export async function play(exchange: TestExchange, part: Part, tag: string, nth: number): Promise<void> {
  const content = contentOf(tag, part.outputTokens)
  if (part.takesMs !== undefined) await delay(part.takesMs)
  const fail = (status: number) =>
    exchange.reply(status, { error: { message: 'out of order' } }, status === 400 ? {} : AT_ONCE)
  const status = STATUSES[(part.variant + nth) % STATUSES.length] ?? 500
  switch (part.behaviour) {
    case 'failed-once':
      return nth > 1 ? answer(exchange, content, usageOf(part)) : fail(status)
    case 'failed-twice':
      return nth > 2 ? answer(exchange, content, usageOf(part)) : fail(status)
    case 'failed-for-good':
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
      return nth > 1 ? answer(exchange, content, usageOf(part)) : exchange.gone
    case 'error-inside': {
      const error = { type: 'server_error', code: '500', message: 'overloaded' }
      if (exchange.request.json().stream !== true) return fail(500)
      return begun(exchange, content).data({ error }).end()
    }
    case 'truncated':
      if (exchange.request.json().stream !== true) return fail(400)
      return begun(exchange, content).end()
    default:
      return answer(exchange, content, usageOf(part))
  }
}

/** Nano-dollars that a call may come to. */
export interface CostBounds {
  low: number
  high: number
}

/** Bytes are at least one token's worth each, so a prompt of so many bytes is no more tokens than that. */
const MOST_OF_ESTIMATE = 3

/** What one upstream call of the part may be charged, before the plan's discount. */
export function costBounds(part: Part, stream: boolean, promptBytes: number): CostBounds {
  const { behaviour, promptTokens, outputTokens } = part
  const truth = promptTokens * 1_000 + outputTokens * 2_000
  const most = MOST_OF_ESTIMATE * (promptBytes * 1_000 + (outputTokens + 100) * 2_000)
  switch (behaviour) {
    case 'failed-for-good':
    case 'refused':
      return { low: 0, high: 0 }
    case 'error-inside':
    case 'truncated':
      // Broken off before its report: what was heard is charged.
      return stream ? { low: 1, high: most } : { low: 0, high: 0 }
    case 'missing-usage':
    case 'zero-usage':
    case 'absurd-usage':
    case 'usage-of-wrong-types':
      return { low: 1, high: most }
    default:
      return { low: truth, high: truth }
  }
}
