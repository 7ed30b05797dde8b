// Each event contains a part of the answer; only the finish reason marks the end. Source: Google's Gemini API
// reference, `streamGenerateContent`.

import { EventBuilder, toolCallDelta, UsageReports } from '../chat/answers.ts'
import type { AnswerTarget, CompletionIdentity, StreamParser } from '../chat/codec-types.ts'
import type { ChatEvent, SseEvent } from '../chat/events.ts'
import { UpstreamFailure } from '../chat/failure.ts'
import { isObject, type JsonObject, parseJson } from '../json/json.ts'
import {
  errorIn,
  PartReader,
  readBlockReason,
  readCandidate,
  readRefusal,
  toFailure,
  toFinishReason,
  toOtherFields,
} from './answer.ts'
import { readGeminiUsage, readSearchQueries } from './usage.ts'

export class GeminiStream implements StreamParser {
  readonly #build: EventBuilder
  readonly #parts: PartReader
  /** Sent at the end, because Gemini sometimes sends parts after it. */
  #finish: { reason: string; message: unknown } | null = null
  readonly #usage = new UsageReports()
  #blocked = false

  readonly #model: string
  /** All searches of the web so far. */
  readonly #queries: string[] = []

  constructor(defaults: CompletionIdentity, { signatures, upstreamModel }: AnswerTarget) {
    this.#model = upstreamModel
    this.#build = new EventBuilder(defaults)
    this.#parts = new PartReader(signatures, defaults.id)
  }

  get hasFinished(): boolean {
    return this.#finish !== null || this.#blocked
  }

  event({ data }: SseEvent): ChatEvent[] {
    if (this.#build.ended || data === '') return []
    const value = parseJson(data)
    const error = errorIn(value)
    if (error) return this.#build.fail(toFailure(error))
    if (!isObject(value))
      return this.#build.malformed('The stream contains an event that is not a JSON object.')
    this.#build.setIdentity(value.responseId, value.modelVersion)
    this.#queries.push(...readSearchQueries(value))
    const searched = { queries: this.#queries, model: this.#model }
    return [...this.#usage.next(readGeminiUsage(value.usageMetadata, searched)), ...this.#readEvent(value)]
  }

  end(): ChatEvent[] {
    if (this.#build.ended) return []
    if (this.#blocked) return this.#build.done()
    if (!this.#finish) return this.#build.malformed('The stream ended before the answer was complete.')
    const { reason, message } = this.#finish
    const finish = toFinishReason(reason, message, this.#parts.callCount > 0)
    return finish instanceof UpstreamFailure
      ? this.#build.fail(finish)
      : [...this.#build.delta({}, finish), ...this.#build.done()]
  }

  #readEvent(value: JsonObject): ChatEvent[] {
    const candidate = readCandidate(value)
    const blockReason = readBlockReason(value)
    if (!candidate) {
      if (blockReason === null || this.#blocked) return []
      this.#blocked = true
      return this.#build.delta({ content: null, refusal: readRefusal(value, blockReason) }, 'content_filter')
    }
    if (typeof candidate.finishReason === 'string')
      this.#finish = { reason: candidate.finishReason, message: candidate.finishMessage }
    const first = this.#parts.callCount
    const read = this.#parts.read(candidate)
    const { text, reasoning, calls } = read
    const others = toOtherFields(read)
    return [
      ...(reasoning === '' ? [] : this.#build.delta({ reasoning_content: reasoning })),
      ...(text === '' ? [] : this.#build.delta({ content: text })),
      ...(Object.keys(others).length === 0 ? [] : this.#build.delta(others)),
      ...calls.flatMap((call, at) => this.#build.delta({ tool_calls: [toolCallDelta(call, first + at)] })),
    ]
  }
}
