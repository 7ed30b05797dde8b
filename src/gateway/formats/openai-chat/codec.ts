// Owns the chat-completions codec: OpenAI's own format, which most vendors and every local server speak as well.
// Source: OpenAI's API reference. Vendors' departures are data (`Quirks`); no vendor is named in the code.

import type { AnswerDefaults, FormatCodec, StreamParser } from '../codec.ts'
import type { ChatEvent, PlainAnswer } from '../events.ts'
import { isObject, type JsonObject, parseJson } from '../json.ts'
import type { SseEvent } from '../sse.ts'
import type { Target } from '../target.ts'
import { UpstreamFailure } from '../upstream-failure.ts'
import { UsageReports } from '../usage-reports.ts'
import { readChunk } from './chunk.ts'
import { withTexts } from './content.ts'
import { failureFrom, readErrorText } from './errors.ts'
import { readModelList } from './models.ts'
import { normaliseCompletion } from './normalise-completion.ts'
import { chatRequest } from './request.ts'
import { readUsage } from './usage.ts'

function malformed(message: string): UpstreamFailure {
  return new UpstreamFailure({ kind: 'malformed', message })
}

function choiceWithTexts(choice: unknown): unknown {
  return isObject(choice) && isObject(choice.message)
    ? { ...choice, message: withTexts(choice.message) }
    : choice
}

function plainAnswer(body: unknown, target: Target, defaults: AnswerDefaults): PlainAnswer | UpstreamFailure {
  if (!isObject(body)) return malformed('The answer is not a JSON object.')
  if (body.error) return failureFrom(body)
  const choices = Array.isArray(body.choices) ? body.choices.map(choiceWithTexts) : body.choices
  const completion = normaliseCompletion({ ...body, choices }, defaults)
  if (!completion) return malformed('The answer has no choices.')
  return { kind: 'plain', completion, usage: readUsage(body.usage, target.quirks, body.service_tier) }
}

class OpenAiStream implements StreamParser {
  readonly #target: Target
  /** Per choice seen: whether its finish reason has come. */
  readonly #finished = new Map<number, boolean>()
  readonly #usage = new UsageReports()
  /** The answer's service tier, from whichever chunk says it. */
  #tier: unknown
  #ended = false

  constructor(target: Target) {
    this.#target = target
  }

  event({ event, data }: SseEvent): ChatEvent[] {
    if (this.#ended) return []
    if (data === '[DONE]') return this.#done()
    // A separator that some servers send with nothing in it.
    if (data === '') return []
    const value = parseJson(data)
    if (!isObject(value)) return this.#fail(malformed('The stream holds an event that is not a JSON object.'))
    if (event === 'error' || value.error) return this.#fail(failureFrom(value))
    return this.#chunk(value, data)
  }

  end(): ChatEvent[] {
    if (this.#ended) return []
    const complete = this.#finished.size > 0 && [...this.#finished.values()].every(Boolean)
    return complete ? this.#done() : this.#fail(malformed('The stream broke off before its end.'))
  }

  #chunk(value: JsonObject, data: string): ChatEvent[] {
    const reported = value.usage ?? null
    const { choices: _, usage: __, ...members } = value
    this.#tier = value.service_tier ?? this.#tier
    const events = this.#usage.next(readUsage(reported, this.#target.quirks, this.#tier), members)

    const read = readChunk(value)
    if (!read)
      return Array.isArray(value.choices) ? this.#fail(malformed('The stream holds a broken chunk.')) : events
    const { chunk, mended } = read
    for (const choice of chunk.choices) {
      if (choice.finish_reason !== null) this.#finished.set(choice.index, true)
      else if (!this.#finished.has(choice.index)) this.#finished.set(choice.index, false)
    }
    if (reported === null) {
      // A payload of several lines would need several `data:` fields again.
      events.push({ type: 'chunk', chunk, raw: mended || data.includes('\n') ? null : data })
    } else if (chunk.choices.length > 0) {
      delete chunk.usage
      events.push({ type: 'chunk', chunk, raw: null })
    }
    return events
  }

  #done(): ChatEvent[] {
    this.#ended = true
    return [{ type: 'done' }]
  }

  #fail(failure: UpstreamFailure): ChatEvent[] {
    this.#ended = true
    return [{ type: 'failed', failure }]
  }
}

export const openaiChat: FormatCodec = {
  quirks: {},
  headers: {},
  authorization: (credential) => ({ authorization: `Bearer ${credential}` }),
  chatRequest,
  plainAnswer,
  streamParser: (target) => new OpenAiStream(target),
  errorBody: readErrorText,
  modelsPath: '/models',
  nextPage: () => null,
  models: readModelList,
}
