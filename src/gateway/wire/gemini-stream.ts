// Owns the reading of Gemini's stream: each event is a piece of the answer, and there is no end mark but the finish
// reason. Source: Google's Gemini API reference, `streamGenerateContent`. Knows nothing of sockets.
import type { ChunkChoice } from '../../shared/chat.ts'
import type { ChatEvent } from '../chat/events.ts'
import { UpstreamFailure } from '../upstream/failure.ts'
import { toolCallDelta } from './completion-events.ts'
import { errorIn, finishFor, geminiFailure } from './gemini-errors.ts'
import { blockReasonIn, candidateIn, PartReader, refusalFor } from './gemini-parts.ts'
import { readGeminiUsage } from './gemini-usage.ts'
import { isObject, type JsonObject, parseJson, stringOr } from './json.ts'
import type { Recall } from './recall.ts'
import type { SseEvent } from './sse.ts'
import type { AnswerDefaults, StreamParser } from './wire.ts'

export class GeminiStream implements StreamParser {
  readonly #parts: PartReader
  #identity: AnswerDefaults
  /** Held back to the end: parts have been seen to come after it. */
  #finish: { reason: string; message: unknown } | null = null
  #blocked = false
  #ended = false

  constructor(defaults: AnswerDefaults, signatures: Recall) {
    this.#identity = defaults
    this.#parts = new PartReader(signatures, defaults.id)
  }

  event({ data }: SseEvent): ChatEvent[] {
    if (this.#ended || data === '') return []
    const value = parseJson(data)
    const error = errorIn(value)
    if (error) return this.#fail(geminiFailure(error))
    if (!isObject(value)) return this.#malformed('The stream holds an event that is not a JSON object.')
    const { id, created, model } = this.#identity
    this.#identity = {
      created,
      id: stringOr(value.responseId, id),
      model: stringOr(value.modelVersion, model),
    }
    const usage = readGeminiUsage(value.usageMetadata)
    return [...(usage ? [{ type: 'usage' as const, usage }] : []), ...this.#piece(value)]
  }

  end(): ChatEvent[] {
    if (this.#ended) return []
    if (this.#blocked) return this.#done()
    if (!this.#finish) return this.#malformed('The stream broke off before its end.')
    const { reason, message } = this.#finish
    const finish = finishFor(reason, message, this.#parts.callCount > 0)
    return finish instanceof UpstreamFailure
      ? this.#fail(finish)
      : [...this.#delta({}, finish), ...this.#done()]
  }

  #piece(value: JsonObject): ChatEvent[] {
    const candidate = candidateIn(value)
    const blockReason = blockReasonIn(value)
    if (!candidate) {
      if (blockReason === null || this.#blocked) return []
      this.#blocked = true
      return this.#delta({ content: null, refusal: refusalFor(value, blockReason) }, 'content_filter')
    }
    if (typeof candidate.finishReason === 'string')
      this.#finish = { reason: candidate.finishReason, message: candidate.finishMessage }
    const first = this.#parts.callCount
    const { text, reasoning, calls } = this.#parts.read(candidate)
    return [
      ...(reasoning === '' ? [] : this.#delta({ reasoning_content: reasoning })),
      ...(text === '' ? [] : this.#delta({ content: text })),
      ...calls.flatMap((call, at) => this.#delta({ tool_calls: [toolCallDelta(call, first + at)] })),
    ]
  }

  #delta(delta: ChunkChoice['delta'], finishReason: string | null = null): ChatEvent[] {
    const choices = [{ index: 0, delta, finish_reason: finishReason }]
    return [
      { type: 'chunk', chunk: { ...this.#identity, object: 'chat.completion.chunk', choices }, raw: null },
    ]
  }

  #done(): ChatEvent[] {
    this.#ended = true
    return [{ type: 'done' }]
  }

  #malformed(message: string): ChatEvent[] {
    return this.#fail(new UpstreamFailure({ kind: 'malformed', message }))
  }

  #fail(failure: UpstreamFailure): ChatEvent[] {
    this.#ended = true
    return [{ type: 'failed', failure }]
  }
}
