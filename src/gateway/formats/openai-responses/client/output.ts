// The output of a response, assembled from the deltas of a chat answer.
import { readSignedReasoning } from '../../chat/reasoning.ts'
import { asList, asObject, isObject, type JsonObject, stringOr } from '../../json/json.ts'
import { type CallItem, callIdPrefix, createCallItem } from './call-item.ts'
import {
  type EndStatus,
  MessageItem,
  type OpenItem,
  type OutputEvent,
  ReasoningItem,
} from './output-items.ts'
import { itemId } from './response-object.ts'
import type { ToolTable } from './tools.ts'

type Fields = Readonly<Record<string, unknown>>

export interface OutputOptions {
  requestId: string
  tools: ToolTable
  /** Whether the client gets signed reasoning. */
  showsSigned: boolean
}

/** Builds the output items from the deltas of a chat answer, or from a whole message, and the events of the stream. */
export class ResponseOutput {
  readonly #options: OutputOptions
  readonly #items: OpenItem[] = []
  /** The text or reasoning at the end of the output. */
  #growing: MessageItem | ReasoningItem | null = null
  /** Indexed by the call's index in the chat answer. Pieces of calls may alternate, so all stay open until the end. */
  readonly #calls = new Map<unknown, CallItem>()

  constructor(options: OutputOptions) {
    this.#options = options
  }

  /** The items so far. */
  get items(): JsonObject[] {
    return this.#items.map(({ item }) => item)
  }

  /** The items as the next request needs them. */
  get wholeItems(): JsonObject[] {
    return this.#items.map(({ item, whole }) => whole ?? item)
  }

  add(delta: Fields, logprobs: readonly unknown[] = []): OutputEvent[] {
    const { reasoning_content: reasoning, content, refusal, annotations, tool_calls: calls } = delta
    const events = this.#addSigned(delta)
    if (typeof reasoning === 'string' && reasoning !== '')
      events.push(...this.#inReasoning((item) => item.add(reasoning)))
    if (typeof content === 'string' && content !== '')
      events.push(...this.#inMessage((message) => message.add('text', content, logprobs)))
    for (const each of asList(annotations)) {
      const annotation = readAnnotation(each)
      if (annotation) events.push(...this.#inMessage((message) => message.annotate(annotation)))
    }
    if (typeof refusal === 'string' && refusal !== '')
      events.push(...this.#inMessage((message) => message.add('refusal', refusal)))
    for (const [at, call] of Array.isArray(calls) ? calls.entries() : [])
      if (isObject(call)) events.push(...this.#addCall(call, at))
    return events
  }

  end(status: EndStatus): OutputEvent[] {
    const events = this.#endGrowing(this.#calls.size > 0 ? 'completed' : status)
    const last = [...this.#calls.values()].at(-1)
    for (const call of this.#calls.values()) events.push(...call.end(call === last ? status : 'completed'))
    this.#calls.clear()
    return events
  }

  /** Signed reasoning ends the reasoning that it signs. */
  #addSigned(delta: Fields): OutputEvent[] {
    return readSignedReasoning(delta).flatMap((signed) => [
      ...this.#inReasoning((item) => {
        item.sign(signed)
        return []
      }),
      ...this.#endGrowing('completed'),
    ])
  }

  #inReasoning(add: (item: ReasoningItem) => OutputEvent[]): OutputEvent[] {
    if (this.#growing instanceof ReasoningItem) return add(this.#growing)
    const { showsSigned } = this.#options
    return this.#grow(new ReasoningItem(this.#items.length, this.#newId('rs'), showsSigned), add)
  }

  #inMessage(add: (item: MessageItem) => OutputEvent[]): OutputEvent[] {
    if (this.#growing instanceof MessageItem) return add(this.#growing)
    return this.#grow(new MessageItem(this.#items.length, this.#newId('msg')), add)
  }

  /** Ends the growing item, and begins this one. */
  #grow<Item extends MessageItem | ReasoningItem>(
    item: Item,
    add: (item: Item) => OutputEvent[],
  ): OutputEvent[] {
    const ended = this.#endGrowing('completed')
    this.#growing = item
    this.#items.push(item)
    return [...ended, ...item.begin(), ...add(item)]
  }

  #addCall(call: JsonObject, position: number): OutputEvent[] {
    const { function: called } = call
    const { name, arguments: args } = asObject(called)
    const key = call.index ?? position
    const open = this.#calls.get(key)
    const piece = stringOr(args, '')
    if (open) return piece === '' ? [] : open.add(piece)
    const events = this.#endGrowing('completed')
    const origin = this.#options.tools.findOrigin(stringOr(name, ''))
    const id = this.#newId(callIdPrefix(origin))
    const index = this.#items.length
    const item = createCallItem({ index, id, callId: stringOr(call.id, id), origin })
    this.#calls.set(key, item)
    this.#items.push(item)
    return [...events, ...item.begin(), ...(piece === '' ? [] : item.add(piece))]
  }

  #endGrowing(status: EndStatus): OutputEvent[] {
    const item = this.#growing
    this.#growing = null
    return item?.end(status) ?? []
  }

  #newId(prefix: string): string {
    return itemId(prefix, this.#options.requestId, this.#items.length)
  }
}

/** A citation of the chat format. */
function readAnnotation(annotation: unknown): JsonObject | null {
  if (!isObject(annotation) || !isObject(annotation.url_citation)) return null
  const { url, title, start_index: start, end_index: end } = annotation.url_citation
  if (typeof url !== 'string') return null
  return {
    type: 'url_citation',
    url,
    title: stringOr(title, ''),
    start_index: typeof start === 'number' ? start : 0,
    end_index: typeof end === 'number' ? end : 0,
  }
}
