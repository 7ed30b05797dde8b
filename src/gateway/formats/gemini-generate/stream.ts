// Owns the reading of Gemini's stream: each event is a piece of the answer, and there is no end mark but the finish
// reason. Source: Google's Gemini API reference, `streamGenerateContent`. Knows nothing of sockets.

import type { AnswerDefaults, StreamParser } from '../codec.ts'
import type { ChatEvent } from '../events.ts'
import { isObject, type JsonObject, parseJson } from '../json.ts'
import { toolCallDelta } from '../openai-chat/completion-events.ts'
import { MadeEvents } from '../openai-chat/event-builder.ts'
import type { Recall } from '../reasoning-signatures.ts'
import type { SseEvent } from '../sse.ts'
import { UpstreamFailure } from '../upstream-failure.ts'
import { UsageReports } from '../usage-reports.ts'
import { errorIn, finishFor, geminiFailure } from './errors.ts'
import { blockReasonIn, candidateIn, mediaOf, PartReader, refusalFor } from './parts.ts'
import { readGeminiUsage } from './usage.ts'

export class GeminiStream implements StreamParser {
  readonly #make: MadeEvents
  readonly #parts: PartReader
  /** Held back to the end: parts have been seen to come after it. */
  #finish: { reason: string; message: unknown } | null = null
  readonly #usage = new UsageReports()
  #blocked = false

  constructor(defaults: AnswerDefaults, signatures: Recall) {
    this.#make = new MadeEvents(defaults)
    this.#parts = new PartReader(signatures, defaults.id)
  }

  event({ data }: SseEvent): ChatEvent[] {
    if (this.#make.ended || data === '') return []
    const value = parseJson(data)
    const error = errorIn(value)
    if (error) return this.#make.fail(geminiFailure(error))
    if (!isObject(value)) return this.#make.malformed('The stream holds an event that is not a JSON object.')
    this.#make.named(value.responseId, value.modelVersion)
    return [...this.#usage.next(readGeminiUsage(value.usageMetadata)), ...this.#piece(value)]
  }

  end(): ChatEvent[] {
    if (this.#make.ended) return []
    if (this.#blocked) return this.#make.done()
    if (!this.#finish) return this.#make.malformed('The stream broke off before its end.')
    const { reason, message } = this.#finish
    const finish = finishFor(reason, message, this.#parts.callCount > 0)
    return finish instanceof UpstreamFailure
      ? this.#make.fail(finish)
      : [...this.#make.delta({}, finish), ...this.#make.done()]
  }

  #piece(value: JsonObject): ChatEvent[] {
    const candidate = candidateIn(value)
    const blockReason = blockReasonIn(value)
    if (!candidate) {
      if (blockReason === null || this.#blocked) return []
      this.#blocked = true
      return this.#make.delta({ content: null, refusal: refusalFor(value, blockReason) }, 'content_filter')
    }
    if (typeof candidate.finishReason === 'string')
      this.#finish = { reason: candidate.finishReason, message: candidate.finishMessage }
    const first = this.#parts.callCount
    const read = this.#parts.read(candidate)
    const { text, reasoning, calls } = read
    const media = mediaOf(read)
    return [
      ...(reasoning === '' ? [] : this.#make.delta({ reasoning_content: reasoning })),
      ...(text === '' ? [] : this.#make.delta({ content: text })),
      ...(Object.keys(media).length === 0 ? [] : this.#make.delta(media)),
      ...calls.flatMap((call, at) => this.#make.delta({ tool_calls: [toolCallDelta(call, first + at)] })),
    ]
  }
}
