// Source: OpenAI's API reference, "Streaming events".

import type { ChunkChoice, ToolCallDelta } from '../../../shared/formats/chat-completion.ts'
import { EventBuilder, UsageReports } from '../chat/answers.ts'
import type { AnswerTarget, CompletionIdentity, StreamParser } from '../chat/codec-types.ts'
import type { ChatEvent, SseEvent } from '../chat/events.ts'
import { UpstreamFailure } from '../chat/failure.ts'
import type { ReasoningSignatures, SignedReasoning } from '../chat/reasoning.ts'
import { asList, isObject, type JsonObject, parseJson, stringOr } from '../json/json.ts'
import { readEnd, readFailure } from './errors.ts'
import * as items from './output-items.ts'
import { readResponsesUsage } from './usage.ts'

/** The last event of a response, and its status if the response states none. */
export const RESPONSE_ENDS: ReadonlyMap<unknown, string> = new Map([
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
  readonly #target: AnswerTarget
  readonly #build: EventBuilder
  readonly #output: OutputStream
  readonly #usage = new UsageReports()
  hiddenProgress = false
  mayStall = true

  constructor(target: AnswerTarget, defaults: CompletionIdentity) {
    this.#target = target
    this.#build = new EventBuilder(defaults)
    this.#output = new OutputStream(this.#build, target.signatures)
  }

  event({ event, data }: SseEvent): ChatEvent[] {
    this.hiddenProgress = false
    if (this.#build.ended || data === '') return []
    // Some servers end the stream as that of chat completions.
    if (data === '[DONE]') return this.end()
    const value = parseJson(data)
    if (!isObject(value))
      return this.#build.malformed('The stream contains an event that is not a JSON object.')
    const type = stringOr(value.type ?? event, '')
    this.hiddenProgress = isProgress(type, value)
    if (SHOWN.has(type)) this.mayStall = false
    if (type === 'error' || (type === '' && isObject(value.error)))
      return this.#build.fail(readFailure(value))
    const status = RESPONSE_ENDS.get(type)
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
        this.mayStall = isNew && item.type !== 'message' && items.readCallType(item) === null
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

// The output items of a stream as deltas of one chat message. Source: OpenAI's API reference, "Streaming events".

export type TextField = 'content' | 'refusal' | 'reasoning_content'

interface OpenItem {
  item: JsonObject
  /** The part of each text that was sent, without the separator before it. */
  sent: Record<TextField, string>
  /** The characters of the answer's text before this item's. */
  offset: number
  annotations: number
  /** The part of the summary or reasoning that the last delta belonged to. */
  part: unknown
  /** A tool call's index among the calls; null until the call was sent. */
  callIndex: number | null
  input: string
}

/** The rest of a text after its deltas: all of it for servers that send none. */
function missingText(sent: string, full: string): string {
  return full.startsWith(sent) ? full.slice(sent.length) : ''
}

export class OutputStream {
  readonly #build: EventBuilder
  readonly #order: items.ReasoningOrder
  readonly #open = new Map<unknown, OpenItem>()
  /** The indexes and ids of completed items. */
  readonly #done = new Set<unknown>()
  readonly #lengths: Record<TextField, number> = { content: 0, refusal: 0, reasoning_content: 0 }
  #calls = 0

  constructor(build: EventBuilder, signatures: ReasoningSignatures) {
    this.#build = build
    this.#order = new items.ReasoningOrder(signatures)
  }

  get hasCalls(): boolean {
    return this.#calls > 0
  }

  added(key: unknown, item: JsonObject): ChatEvent[] {
    const sent = { content: '', refusal: '', reasoning_content: '' }
    const open: OpenItem = {
      item,
      sent,
      offset: this.#lengths.content,
      annotations: 0,
      part: undefined,
      callIndex: null,
      input: '',
    }
    this.#open.set(key, open)
    if (item.type === 'message') return this.#signed(this.#order.message(item))
    // Some servers name the function only at the end.
    return items.readCallType(item) && stringOr(item.name, '') !== '' ? this.#startCall(open, item) : []
  }

  /** `part`: the index of the part that the text belongs to, where parts are separated. */
  text(key: unknown, field: TextField, { delta, logprobs }: JsonObject, part?: unknown): ChatEvent[] {
    const text = stringOr(delta, '')
    if (text === '') return []
    const openItem = this.#open.get(key)
    const events = openItem
      ? []
      : this.added(key, { type: field === 'reasoning_content' ? 'reasoning' : 'message' })
    const open = openItem ?? this.#open.get(key)
    if (!open) return events
    const isNext = open.sent[field] !== '' && part !== open.part
    open.part = part
    return [...events, ...this.#write(open, field, isNext ? items.SEPARATOR + text : text, logprobs)]
  }

  annotation(key: unknown, annotation: unknown): ChatEvent[] {
    const open = this.#open.get(key)
    if (!open) return []
    open.annotations += 1
    const annotations = items.readAnnotation(annotation, open.offset)
    return annotations.length > 0 ? this.#build.delta({ annotations }) : []
  }

  /** Text of a call's arguments or input. */
  input(key: unknown, { delta }: JsonObject): ChatEvent[] {
    const open = this.#open.get(key)
    const text = stringOr(delta, '')
    return open && open.callIndex !== null && text !== '' ? this.#writeInput(open, text) : []
  }

  done(key: unknown, item: JsonObject): ChatEvent[] {
    const openItem = this.#open.get(key)
    const events = openItem ? [] : this.added(key, item)
    const open = openItem ?? this.#open.get(key)
    if (!open) return events
    this.#open.delete(key)
    this.#done.add(key).add(item.id)
    return [...events, ...this.#complete(open, item)]
  }

  /** `output`: all items, of which some servers send no events. */
  finish(output: unknown): ChatEvent[] {
    const events: ChatEvent[] = []
    for (const [index, item] of asList(output).entries()) {
      if (!isObject(item) || this.#done.has(index)) continue
      if (item.id !== undefined && this.#done.has(item.id)) continue
      for (const event of this.done(index, item)) events.push(event)
    }
    return [...events, ...this.#signed(this.#order.end())]
  }

  #complete(open: OpenItem, item: JsonObject): ChatEvent[] {
    if (item.type === 'reasoning')
      return [
        ...this.#writeMissing(open, 'reasoning_content', items.readReasoningText(item)),
        ...this.#signed(this.#order.reasoning(item)),
      ]
    if (item.type === 'message') {
      const texts = [
        ...this.#writeMissing(open, 'content', items.readMessageText(item)),
        ...this.#writeMissing(open, 'refusal', items.readMessageRefusal(item)),
      ]
      const annotations = items.readMessageAnnotations(item, open.offset).slice(open.annotations)
      return annotations.length > 0 ? [...texts, ...this.#build.delta({ annotations })] : texts
    }
    if (!items.readCallType(item)) return this.#build.delta({ content_parts: [item] })
    const started = open.callIndex === null ? this.#startCall(open, item) : []
    const missing = missingText(open.input, items.readCallInput(item))
    return missing === '' ? started : [...started, ...this.#writeInput(open, missing)]
  }

  #startCall(open: OpenItem, item: JsonObject): ChatEvent[] {
    const id = items.readCallId(item)
    const name = stringOr(item.name, '')
    const signed = this.#order.call(id)
    const index = this.#calls
    this.#calls += 1
    open.callIndex = index
    const call: ToolCallDelta =
      items.readCallType(item) === 'custom'
        ? { index, id, type: 'custom', custom: { name, input: '' } }
        : { index, id, type: 'function', function: { name, arguments: '' } }
    return this.#build.delta({
      ...(signed.length > 0 && { signed_reasoning: signed }),
      tool_calls: [call],
    })
  }

  #writeInput(open: OpenItem, text: string): ChatEvent[] {
    open.input += text
    const index = open.callIndex ?? 0
    const call: ToolCallDelta =
      items.readCallType(open.item) === 'custom'
        ? { index, custom: { input: text } }
        : { index, function: { arguments: text } }
    return this.#build.delta({ tool_calls: [call] })
  }

  #writeMissing(open: OpenItem, field: TextField, full: string): ChatEvent[] {
    const missing = missingText(open.sent[field], full)
    return missing === '' ? [] : this.#write(open, field, missing)
  }

  #write(open: OpenItem, field: TextField, text: string, logprobs?: unknown): ChatEvent[] {
    const isFirst = open.sent[field] === ''
    const separator = isFirst && this.#lengths[field] > 0 ? items.SEPARATOR : ''
    if (isFirst && field === 'content') open.offset = this.#lengths.content + separator.length
    open.sent[field] += text
    this.#lengths[field] += separator.length + text.length
    const delta: ChunkChoice['delta'] = { [field]: separator + text }
    return this.#build.delta(delta, null, items.readLogprobs(logprobs))
  }

  #signed(signed: readonly SignedReasoning[]): ChatEvent[] {
    return signed.length > 0 ? this.#build.delta({ signed_reasoning: signed }) : []
  }
}
