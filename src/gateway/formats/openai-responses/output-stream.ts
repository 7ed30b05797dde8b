// The output items of a stream as deltas of one chat message. Source: OpenAI's API reference, "Streaming events".
import type { ChunkChoice, ToolCallDelta } from '../../../shared/chat-completion.ts'
import type { ChatEvent } from '../chat/events.ts'
import type { ReasoningSignatures, SignedReasoning } from '../chat/reasoning.ts'
import type { EventBuilder } from '../chat/stream-events.ts'
import { isObject, type JsonObject, stringOr } from '../json/json.ts'
import {
  readCallId,
  readCallInput,
  readCallType,
  readMessageAnnotations,
  readMessageRefusal,
  readMessageText,
  readReasoningText,
  SEPARATOR,
} from './output-items.ts'
import { readAnnotation, readLogprobs } from './output-text.ts'
import { ReasoningOrder } from './reasoning-items.ts'

/** The fields of a delta that carry text. */
export type TextField = 'content' | 'refusal' | 'reasoning_content'

interface OpenItem {
  item: JsonObject
  /** What was sent of each text, without the separator before it. */
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

/** What is missing of a text after its deltas: all of it from servers that send none. */
function missingText(sent: string, full: string): string {
  return full.startsWith(sent) ? full.slice(sent.length) : ''
}

export class OutputStream {
  readonly #build: EventBuilder
  readonly #order: ReasoningOrder
  readonly #open = new Map<unknown, OpenItem>()
  /** The indexes and ids of completed items. */
  readonly #done = new Set<unknown>()
  readonly #lengths: Record<TextField, number> = { content: 0, refusal: 0, reasoning_content: 0 }
  #calls = 0

  constructor(build: EventBuilder, signatures: ReasoningSignatures) {
    this.#build = build
    this.#order = new ReasoningOrder(signatures)
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
    return readCallType(item) && stringOr(item.name, '') !== '' ? this.#startCall(open, item) : []
  }

  /** `part`: the index of the part that the text belongs to, where parts are separated. */
  text(key: unknown, field: TextField, { delta, logprobs }: JsonObject, part?: unknown): ChatEvent[] {
    const text = stringOr(delta, '')
    if (text === '') return []
    const found = this.#open.get(key)
    const events = found
      ? []
      : this.added(key, { type: field === 'reasoning_content' ? 'reasoning' : 'message' })
    const open = found ?? this.#open.get(key)
    if (!open) return events
    const isNext = open.sent[field] !== '' && part !== open.part
    open.part = part
    return [...events, ...this.#write(open, field, isNext ? SEPARATOR + text : text, logprobs)]
  }

  annotation(key: unknown, annotation: unknown): ChatEvent[] {
    const open = this.#open.get(key)
    if (!open) return []
    open.annotations += 1
    const annotations = readAnnotation(annotation, open.offset)
    return annotations.length > 0 ? this.#build.delta({ annotations }) : []
  }

  /** Text of a call's arguments or input. */
  input(key: unknown, { delta }: JsonObject): ChatEvent[] {
    const open = this.#open.get(key)
    const text = stringOr(delta, '')
    return open && open.callIndex !== null && text !== '' ? this.#writeInput(open, text) : []
  }

  done(key: unknown, item: JsonObject): ChatEvent[] {
    const found = this.#open.get(key)
    const events = found ? [] : this.added(key, item)
    const open = found ?? this.#open.get(key)
    if (!open) return events
    this.#open.delete(key)
    this.#done.add(key).add(item.id)
    return [...events, ...this.#complete(open, item)]
  }

  /** `output`: all items, of which some servers send no events. */
  finish(output: unknown): ChatEvent[] {
    const events: ChatEvent[] = []
    for (const [index, item] of (Array.isArray(output) ? output : []).entries()) {
      if (!isObject(item) || this.#done.has(index)) continue
      if (item.id !== undefined && this.#done.has(item.id)) continue
      for (const event of this.done(index, item)) events.push(event)
    }
    return [...events, ...this.#signed(this.#order.end())]
  }

  #complete(open: OpenItem, item: JsonObject): ChatEvent[] {
    if (item.type === 'reasoning')
      return [
        ...this.#writeMissing(open, 'reasoning_content', readReasoningText(item)),
        ...this.#signed(this.#order.reasoning(item)),
      ]
    if (item.type === 'message') {
      const texts = [
        ...this.#writeMissing(open, 'content', readMessageText(item)),
        ...this.#writeMissing(open, 'refusal', readMessageRefusal(item)),
      ]
      const annotations = readMessageAnnotations(item, open.offset).slice(open.annotations)
      return annotations.length > 0 ? [...texts, ...this.#build.delta({ annotations })] : texts
    }
    if (!readCallType(item)) return this.#build.delta({ content_parts: [item] })
    const started = open.callIndex === null ? this.#startCall(open, item) : []
    const missing = missingText(open.input, readCallInput(item))
    return missing === '' ? started : [...started, ...this.#writeInput(open, missing)]
  }

  #startCall(open: OpenItem, item: JsonObject): ChatEvent[] {
    const id = readCallId(item)
    const name = stringOr(item.name, '')
    const signed = this.#order.call(id)
    const index = this.#calls
    this.#calls += 1
    open.callIndex = index
    const call: ToolCallDelta =
      readCallType(item) === 'custom'
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
      readCallType(open.item) === 'custom'
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
    const separator = isFirst && this.#lengths[field] > 0 ? SEPARATOR : ''
    if (isFirst && field === 'content') open.offset = this.#lengths.content + separator.length
    open.sent[field] += text
    this.#lengths[field] += separator.length + text.length
    const delta: ChunkChoice['delta'] = { [field]: separator + text }
    return this.#build.delta(delta, null, readLogprobs(logprobs))
  }

  #signed(signed: readonly SignedReasoning[]): ChatEvent[] {
    return signed.length > 0 ? this.#build.delta({ signed_reasoning: signed }) : []
  }
}
