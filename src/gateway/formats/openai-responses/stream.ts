// Source: OpenAI's API reference, "Streaming events".
import type { CompletionIdentity, StreamParser } from '../chat/codec.ts'
import type { ChatEvent } from '../chat/events.ts'
import { UpstreamFailure } from '../chat/failure.ts'
import { EventBuilder, UsageReports } from '../chat/stream-events.ts'
import type { Target } from '../chat/target.ts'
import type { SseEvent } from '../framing/sse.ts'
import { isObject, type JsonObject, parseJson, stringOr } from '../json/json.ts'
import { readFailure } from './errors.ts'
import { readCallType } from './output-items.ts'
import { OutputStream } from './output-stream.ts'
import { readEnd } from './status.ts'
import { readResponsesUsage } from './usage.ts'

/** The last event of a response, and its status if the response states none. */
const ENDS: ReadonlyMap<string, string> = new Map([
  ['response.completed', 'completed'],
  ['response.incomplete', 'incomplete'],
  ['response.failed', 'failed'],
  ['response.cancelled', 'cancelled'],
])

/** The model has not begun yet. Events of other names, such as `keepalive`, are not about the response. */
const WAITING: ReadonlySet<string> = new Set(['response.created', 'response.queued', 'response.in_progress'])

/** They come in quick succession. */
const SHOWN: ReadonlySet<string> = new Set([
  'response.output_text.delta',
  'response.refusal.delta',
  'response.function_call_arguments.delta',
  'response.custom_tool_call_input.delta',
])

function isProgress(type: string, { delta }: JsonObject): boolean {
  return type.startsWith('response.') && !WAITING.has(type) && delta !== ''
}

export class ResponsesStream implements StreamParser {
  readonly #target: Target
  readonly #build: EventBuilder
  readonly #output: OutputStream
  readonly #usage = new UsageReports()
  #hiddenProgress = false
  #worksUnseen = true

  constructor(target: Target, defaults: CompletionIdentity) {
    this.#target = target
    this.#build = new EventBuilder(defaults)
    this.#output = new OutputStream(this.#build, target.signatures)
  }

  get hiddenProgress(): boolean {
    return this.#hiddenProgress
  }

  get worksUnseen(): boolean {
    return this.#worksUnseen
  }

  event({ event, data }: SseEvent): ChatEvent[] {
    this.#hiddenProgress = false
    if (this.#build.ended || data === '') return []
    // Some servers end the stream as that of chat completions.
    if (data === '[DONE]') return this.end()
    const value = parseJson(data)
    if (!isObject(value))
      return this.#build.malformed('The stream contains an event that is not a JSON object.')
    const type = stringOr(value.type ?? event, '')
    this.#hiddenProgress = isProgress(type, value)
    if (SHOWN.has(type)) this.#worksUnseen = false
    if (type === 'error' || (type === '' && isObject(value.error)))
      return this.#build.fail(readFailure(value))
    const status = ENDS.get(type)
    return status === undefined ? this.#event(type, value) : this.#end(value.response, status)
  }

  end(): ChatEvent[] {
    return this.#build.ended ? [] : this.#build.malformed('The stream ended before the answer was complete.')
  }

  /** Events that only repeat what deltas have said, and unknown ones, have no counterpart. */
  #event(type: string, value: JsonObject): ChatEvent[] {
    const { item, response, annotation } = value
    const key = value.output_index ?? value.item_id
    switch (type) {
      case 'response.created':
        if (isObject(response)) this.#build.setIdentity(response.id, response.model)
        return []
      case 'response.output_item.added':
      case 'response.output_item.done': {
        if (!isObject(item)) return this.#build.malformed('The stream contains an invalid output item.')
        const itemKey = value.output_index ?? item.id
        const isNew = type === 'response.output_item.added'
        this.#worksUnseen = isNew && item.type !== 'message' && readCallType(item) === null
        return isNew ? this.#output.added(itemKey, item) : this.#output.done(itemKey, item)
      }
      case 'response.output_text.delta':
        return this.#output.text(key, 'content', value)
      case 'response.refusal.delta':
        return this.#output.text(key, 'refusal', value)
      case 'response.reasoning_summary_text.delta':
        return this.#output.text(key, 'reasoning_content', value, value.summary_index)
      case 'response.reasoning_text.delta':
        return this.#output.text(key, 'reasoning_content', value, value.content_index)
      case 'response.output_text.annotation.added':
        return this.#output.annotation(key, annotation)
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return this.#output.input(key, value)
      default:
        return []
    }
  }

  #end(response: unknown, status: string): ChatEvent[] {
    if (!isObject(response)) return this.#build.malformed('The last event of the stream has no response.')
    const { service_tier: tier } = response
    const usage = this.#usage.next(
      readResponsesUsage(response, this.#target.quirks),
      typeof tier === 'string' ? { service_tier: tier } : undefined,
    )
    const output = this.#output.finish(response.output)
    const end = readEnd({ ...response, status: response.status ?? status }, this.#output.hasCalls)
    if (end instanceof UpstreamFailure) return [...usage, ...this.#build.fail(end)]
    return [...output, ...usage, ...this.#build.delta({}, end), ...this.#build.done()]
  }
}
