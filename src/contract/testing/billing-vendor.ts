// A vendor that keeps its own bill: what it reads and writes costs money whether or not anyone takes it. Tests judge caps by that
// bill, not by what the gateway reports.
import { setTimeout as delay } from 'node:timers/promises'
import { testCompletion } from '../../gateway/upstream/testing/test-upstream.ts'
import { NO_TOKENS, vendorFormats } from '../../gateway/upstream/testing/vendor-formats.ts'
import type { ModelHandler } from './upstream.ts'

/** The prices of a model, in USD per million tokens, unless a test says otherwise. */
export const PRICING = { inputPerMillion: 5, outputPerMillion: 25 }

export class Bill {
  inputTokens = 0
  outputTokens = 0
  /** The charges for anything but tokens. */
  otherUsd = 0
  readonly #pricing: typeof PRICING

  constructor(pricing = PRICING) {
    this.#pricing = pricing
  }

  get usd(): number {
    const { inputPerMillion, outputPerMillion } = this.#pricing
    return (this.inputTokens * inputPerMillion + this.outputTokens * outputPerMillion) / 1e6 + this.otherUsd
  }

  /** Adds an answer. Returns its usage in the format of chat completions. */
  add(input: number, output: number) {
    this.inputTokens += input
    this.outputTokens += output
    return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output }
  }
}

export const computeOutputUsd = (tokens: number): number => (tokens * PRICING.outputPerMillion) / 1e6

/** A text of so many tokens. */
const writeWords = (count: number): string => ' word'.repeat(count)

export interface Pace {
  tokensPerEvent: number
  everyMs: number
  forMs: number
}

const PROMPT_TOKENS = 20

const completion = (text: string, finish_reason: string | null = null) => ({
  ...{ id: 'cmpl-1', object: 'text_completion', created: 1_760_000_000, model: 'm' },
  choices: [{ text, index: 0, finish_reason }],
})
const chat = vendorFormats['openai-chat']
const legacy: typeof chat = {
  ...chat,
  begin: () => [],
  delta: (text) => completion(text),
  end: () => [completion('', 'stop')],
}
const FORMS = { chat, messages: vendorFormats['anthropic-messages'], completions: legacy }

/** Streams at this pace until it is done or the gateway disconnects. A token is billed when it is written. */
export const streams =
  (bill: Bill, { tokensPerEvent, everyMs, forMs }: Pace, format: keyof typeof FORMS = 'chat'): ModelHandler =>
  async (exchange) => {
    const form = FORMS[format]
    let isOpen = true
    void exchange.disconnected.then(() => {
      isOpen = false
    })
    bill.inputTokens += PROMPT_TOKENS
    const getUsage = (text: number) => form.usage({ ...NO_TOKENS, input: PROMPT_TOKENS, text })
    exchange.begin().data(...form.begin({}, format === 'messages' && getUsage(0)))
    const startedAt = performance.now()
    const events = Math.round(forMs / everyMs)
    for (let event = 1; event <= events && isOpen; event++) {
      exchange.data(form.delta(writeWords(tokensPerEvent)))
      bill.outputTokens += tokensPerEvent
      await delay(Math.max(0, startedAt + event * everyMs - performance.now()))
    }
    if (!isOpen) return
    exchange.data(...form.end({ usage: getUsage(events * tokensPerEvent) }))
    exchange.data(...(form.done ? [form.done] : [])).end()
  }

/** Answers in one piece, after a time. */
export const answers =
  (
    bill: Bill,
    tokens: { input?: number; output?: number },
    { afterMs = 0, usage = {} }: { afterMs?: number; usage?: object } = {},
  ): ModelHandler =>
  async (exchange) => {
    const billed = bill.add(tokens.input ?? PROMPT_TOKENS, tokens.output ?? 10)
    if (afterMs > 0) await delay(afterMs)
    exchange.reply(200, { ...testCompletion('Hello.'), usage: { ...billed, ...usage } })
  }
