// Source: OpenAI's API reference, "Streaming".
import { EventBuilder, UsageReports } from '../chat/answers.ts'
import {
  type AnswerTarget,
  type CompletionIdentity,
  type FormatCodec,
  openaiHeaders,
  type StreamParser,
} from '../chat/codec-types.ts'
import type { ChatEvent, PlainAnswer, SseEvent } from '../chat/events.ts'
import { emptyAnswer, malformedAnswer, type UpstreamFailure } from '../chat/failure.ts'
import { normalizeCompletion } from '../chat/normalize.ts'
import { isObject, type JsonObject, parseJson } from '../json/json.ts'
import { normalizeTexts, RepeatedChunks, readChunk } from './chunk.ts'
import { readErrorText, readFailure } from './errors.ts'
import { readModelList } from './models.ts'
import { chatRequest, nativeRequest, textCompletionRequest } from './request.ts'
import { readUsage } from './usage.ts'

class OpenAiChatStream implements StreamParser {
  readonly #target: AnswerTarget
  readonly #build: EventBuilder
  /** Whether each choice has received its finish reason. */
  readonly #finished = new Map<number, boolean>()
  readonly #usage = new UsageReports()
  /** Any chunk may state it. */
  #tier: unknown
  readonly #repeated = new RepeatedChunks()

  constructor(target: AnswerTarget, defaults: CompletionIdentity) {
    this.#target = target
    this.#build = new EventBuilder(defaults)
  }

  event({ event, data }: SseEvent): ChatEvent[] {
    if (this.#build.ended) return []
    if (data === '[DONE]') return this.#build.done()
    // Some servers send empty events as separators.
    if (data === '') return []
    const repeated = event === 'error' ? null : this.#repeated.read(data)
    if (repeated) return [{ type: 'chunk', ...repeated, raw: data }]
    const value = parseJson(data)
    if (!isObject(value))
      return this.#build.malformed('The stream contains an event that is not a JSON object.')
    if (event === 'error' || value.error) return this.#build.fail(readFailure(value))
    return this.#chunk(value, data)
  }

  end(): ChatEvent[] {
    if (this.#build.ended) return []
    const complete = this.#finished.size > 0 && [...this.#finished.values()].every(Boolean)
    return complete
      ? this.#build.done()
      : this.#build.malformed('The stream ended before the answer was complete.')
  }

  #chunk(value: JsonObject, data: string): ChatEvent[] {
    const reported = value.usage ?? null
    this.#tier = value.service_tier ?? this.#tier
    const events = reported === null ? [] : this.#readUsage(value)
    const read = readChunk(value)
    if (!read)
      return Array.isArray(value.choices)
        ? this.#build.malformed('The stream contains an invalid chunk.')
        : events
    const { chunk, repaired } = read
    for (const choice of chunk.choices) {
      if (choice.finish_reason !== null) this.#finished.set(choice.index, true)
      else if (!this.#finished.has(choice.index)) this.#finished.set(choice.index, false)
    }
    if (reported === null) {
      // A payload of several lines would need several `data:` fields.
      const isForwarded = !repaired && !data.includes('\n')
      if (isForwarded) this.#repeated.remember(data, chunk)
      events.push({ type: 'chunk', chunk, raw: isForwarded ? data : null })
    } else if (chunk.choices.length > 0) {
      delete chunk.usage
      events.push({ type: 'chunk', chunk, raw: null })
    }
    return events
  }

  #readUsage({ choices: _, usage, ...members }: JsonObject): ChatEvent[] {
    return this.#usage.next(readUsage(usage, this.#target.quirks, this.#tier), members)
  }
}

// OpenAI's own format, which most vendors and every local server use. Source: OpenAI's API reference. Vendors'
// deviations are data (`Quirks`); no vendor is named in this code.

/** The choices of text completions have a text instead of a message. */
function readText(choice: unknown): unknown {
  if (!isObject(choice) || isObject(choice.message) || typeof choice.text !== 'string') return choice
  const { text, ...rest } = choice
  return { ...rest, message: { role: 'assistant', content: text } }
}

function normalizeChoiceTexts(value: unknown): unknown {
  const choice = readText(value)
  return isObject(choice) && isObject(choice.message)
    ? { ...choice, message: normalizeTexts(choice.message) }
    : choice
}

function plainAnswer(
  body: unknown,
  target: AnswerTarget,
  defaults: CompletionIdentity,
): PlainAnswer | UpstreamFailure {
  if (!isObject(body)) return malformedAnswer('The answer is not a JSON object.')
  if (body.error) return readFailure(body)
  const choices = Array.isArray(body.choices) ? body.choices.map(normalizeChoiceTexts) : body.choices
  const completion = normalizeCompletion({ ...body, choices }, defaults)
  const usage = readUsage(body.usage, target.quirks, body.service_tier)
  return completion ? { kind: 'plain', completion, usage } : emptyAnswer('The answer has no choices.', usage)
}

export const openaiChat: FormatCodec = {
  quirks: {},
  headers: {},
  authorization: 'bearer',
  chatRequest,
  native: {
    ...openaiHeaders,
    request: (native, target) =>
      native.isTextCompletion ? textCompletionRequest(native, target) : nativeRequest(native, target),
  },
  plainAnswer,
  streamParser: (target, defaults) => new OpenAiChatStream(target, defaults),
  errorBody: readErrorText,
  modelsPath: '/models',
  nextPage: () => null,
  models: readModelList,
}
