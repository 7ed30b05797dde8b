import type { InputItem } from '../../../../shared/responses.ts'
import { decodeSignedReasoning, encodeSignedReasoning, type SignedReasoning } from '../../chat/reasoning.ts'
import { isObject, type JsonObject, stringOr } from '../../json/json.ts'

/** How an item ends: an answer that was cut is incomplete. */
export type EndStatus = 'completed' | 'incomplete'

/** An event of the stream, without its `sequence_number`. */
export interface OutputEvent {
  type: string
  [member: string]: unknown
}

/** An item of the output that still grows. */
export interface OpenItem {
  readonly index: number
  /** The item so far. */
  readonly item: JsonObject
  /** The item for the next request, if it is not as the client got it. */
  readonly whole?: JsonObject | null
  /** The events that complete it. */
  end(status: EndStatus): OutputEvent[]
}

export function itemAdded(index: number, item: JsonObject): OutputEvent {
  return { type: 'response.output_item.added', output_index: index, item: { ...item } }
}

export function itemDone(index: number, item: JsonObject): OutputEvent {
  return { type: 'response.output_item.done', output_index: index, item: { ...item } }
}

interface PartKind {
  /** The part when it is added. */
  empty: JsonObject
  /** The part's member with the text, which the `done` event has as well. */
  member: 'text' | 'refusal'
  event: string
  /** Whether its events have `logprobs`. */
  hasLogprobs: boolean
}

const KINDS = {
  text: {
    empty: { type: 'output_text', text: '', annotations: [], logprobs: [] },
    member: 'text',
    event: 'response.output_text',
    hasLogprobs: true,
  },
  refusal: {
    empty: { type: 'refusal', refusal: '' },
    member: 'refusal',
    event: 'response.refusal',
    hasLogprobs: false,
  },
} as const satisfies Record<string, PartKind>

interface OpenPart {
  kind: PartKind
  text: string
  logprobs: unknown[]
  annotations: unknown[]
}

/** A message of the model: text and refusals, each in a part of its own. */
export class MessageItem implements OpenItem {
  readonly index: number
  item: JsonObject
  readonly #parts: JsonObject[] = []
  #open: OpenPart | null = null

  constructor(index: number, id: string) {
    this.index = index
    this.item = { id, type: 'message', status: 'in_progress', role: 'assistant', content: [] }
  }

  begin(): OutputEvent[] {
    return [itemAdded(this.index, this.item)]
  }

  add(name: keyof typeof KINDS, delta: string, logprobs: readonly unknown[] = []): OutputEvent[] {
    const events = this.#openPart(KINDS[name])
    const open = this.#open
    if (!open) return events
    open.text += delta
    open.logprobs.push(...logprobs)
    const { event, hasLogprobs } = open.kind
    const more = hasLogprobs && { logprobs }
    return [...events, { type: `${event}.delta`, ...this.#position(), delta, ...more }]
  }

  annotate(annotation: JsonObject): OutputEvent[] {
    const events = this.#openPart(KINDS.text)
    const annotations = this.#open?.annotations ?? []
    const annotation_index = annotations.push(annotation) - 1
    const type = 'response.output_text.annotation.added'
    return [...events, { type, ...this.#position(), annotation_index, annotation }]
  }

  end(status: EndStatus): OutputEvent[] {
    const events = this.#endPart()
    this.item = { ...this.item, status, content: [...this.#parts] }
    return [...events, itemDone(this.index, this.item)]
  }

  #position(): JsonObject {
    return { item_id: this.item.id, output_index: this.index, content_index: this.#parts.length }
  }

  #openPart(kind: PartKind): OutputEvent[] {
    if (this.#open?.kind === kind) return []
    const events = this.#endPart()
    this.#open = { kind, text: '', logprobs: [], annotations: [] }
    return [...events, { type: 'response.content_part.added', ...this.#position(), part: { ...kind.empty } }]
  }

  #endPart(): OutputEvent[] {
    const open = this.#open
    if (!open) return []
    const { kind, text, logprobs, annotations } = open
    const position = this.#position()
    const lists = kind.hasLogprobs && { annotations, logprobs }
    const part = { ...kind.empty, [kind.member]: text, ...lists }
    this.#open = null
    this.#parts.push(part)
    const more = kind.hasLogprobs && { logprobs }
    return [
      { type: `${kind.event}.done`, ...position, [kind.member]: text, ...more },
      { type: 'response.content_part.done', ...position, part },
    ]
  }
}

/** Reasoning: its text as one part of the summary and, for the client to send back, as it was signed. */
export class ReasoningItem implements OpenItem {
  readonly index: number
  item: JsonObject
  /** The item with what the client did not ask for, so that it can be restored when the client refers to it. */
  whole: JsonObject | null = null
  readonly #showsSigned: boolean
  #signed: JsonObject | null = null
  #text = ''

  constructor(index: number, id: string, showsSigned: boolean) {
    this.index = index
    this.#showsSigned = showsSigned
    this.item = { id, type: 'reasoning', summary: [] }
  }

  begin(): OutputEvent[] {
    return [itemAdded(this.index, this.item)]
  }

  add(delta: string): OutputEvent[] {
    const events: OutputEvent[] = []
    if (this.#text === '') {
      const type = 'response.reasoning_summary_part.added'
      events.push({ type, ...this.#position(), part: { type: 'summary_text', text: '' } })
    }
    this.#text += delta
    return [...events, { type: 'response.reasoning_summary_text.delta', ...this.#position(), delta }]
  }

  sign(signed: SignedReasoning): void {
    this.#signed = { encrypted_content: encodeSignedReasoning(signed) }
  }

  /** Reasoning items have no status in requests, and clients send them back unchanged. */
  end(_status: EndStatus): OutputEvent[] {
    const text = this.#text
    // Clients drop reasoning without encrypted content, but some providers of chat completions expect it back.
    if (text !== '' && !this.#signed) this.sign(unsignedReasoning(text))
    const part = { type: 'summary_text', text }
    const summarized = { ...this.item, summary: text === '' ? [] : [part] }
    this.whole = { ...summarized, ...this.#signed }
    this.item = this.#showsSigned ? this.whole : summarized
    if (text === '') return [itemDone(this.index, this.item)]
    return [
      { type: 'response.reasoning_summary_text.done', ...this.#position(), text },
      { type: 'response.reasoning_summary_part.done', ...this.#position(), part },
      itemDone(this.index, this.item),
    ]
  }

  #position(): JsonObject {
    return { item_id: this.item.id, output_index: this.index, summary_index: 0 }
  }
}

export interface DecodedReasoning {
  text: string
  signed: SignedReasoning | null
}

/** Reasoning of a provider that signs none, in the form of signed reasoning. */
function unsignedReasoning(text: string): SignedReasoning {
  return { format: 'openai-chat', data: { reasoning_content: text } }
}

function readTexts(parts: unknown): string[] {
  if (!Array.isArray(parts)) return []
  return parts.flatMap((part) => (isObject(part) && typeof part.text === 'string' ? [part.text] : []))
}

/** A reasoning item: its encrypted content was written by this gateway, or by a provider, which alone can read it. */
export function decodeReasoningItem(item: InputItem): DecodedReasoning {
  const { encrypted_content: encrypted, summary, content } = item
  const text = [...readTexts(content), ...readTexts(summary)].join('\n\n')
  if (typeof encrypted !== 'string') return { text, signed: null }
  const own = decodeSignedReasoning(encrypted)
  if (own?.format === 'openai-chat')
    return { text: text || stringOr(own.data.reasoning_content, ''), signed: null }
  return { text, signed: own ?? { format: 'openai-responses', data: { ...item } } }
}
