// The items of messages and reasoning, as they grow with the pieces of a chat answer.
import type { InputItem } from '../../../../shared/formats/responses.ts'
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
export abstract class OpenItem {
  readonly index: number
  /** The item so far. */
  item: JsonObject
  /** The item for the next request, if it differs from the one that the client received. */
  whole: JsonObject | null = null

  constructor(index: number, item: JsonObject) {
    this.index = index
    this.item = item
  }

  begin(): OutputEvent[] {
    return [this.event('output_item.added', { item: { ...this.item } })]
  }

  /** The events that complete it. */
  abstract end(status: EndStatus): OutputEvent[]

  /** An event about the item. */
  protected event(name: string, members: JsonObject): OutputEvent {
    return { type: `response.${name}`, output_index: this.index, ...members }
  }

  /** An event about a part of the item. */
  protected partEvent(name: string, members: JsonObject): OutputEvent {
    return this.event(name, { item_id: this.item.id, ...members })
  }

  /** The last event, with the complete item. */
  protected done(members: JsonObject): OutputEvent {
    this.item = { ...this.item, ...members }
    return this.event('output_item.done', { item: { ...this.item } })
  }
}

/** The parts when they are added, by the member with the text, which the `done` event has as well. */
const EMPTY_PARTS = {
  text: { type: 'output_text', text: '', annotations: [], logprobs: [] },
  refusal: { type: 'refusal', refusal: '' },
}

type PartKind = keyof typeof EMPTY_PARTS

interface OpenPart {
  kind: PartKind
  text: string
  logprobs: unknown[]
  annotations: unknown[]
}

/** A message of the model: text and refusals, each in a separate part. */
export class MessageItem extends OpenItem {
  readonly #parts: JsonObject[] = []
  #open: OpenPart | null = null

  constructor(index: number, id: string) {
    super(index, { id, type: 'message', status: 'in_progress', role: 'assistant', content: [] })
  }

  add(kind: PartKind, delta: string, logprobs: readonly unknown[] = []): OutputEvent[] {
    const events = this.#openPart(kind)
    const open = this.#open
    if (!open) return events
    open.text += delta
    open.logprobs.push(...logprobs)
    const members = { delta, ...(kind === 'text' && { logprobs }) }
    return [...events, this.#event(`${EMPTY_PARTS[kind].type}.delta`, members)]
  }

  annotate(annotation: JsonObject): OutputEvent[] {
    const events = this.#openPart('text')
    const annotations = this.#open?.annotations ?? []
    const annotation_index = annotations.push(annotation) - 1
    return [...events, this.#event('output_text.annotation.added', { annotation_index, annotation })]
  }

  end(status: EndStatus): OutputEvent[] {
    const events = this.#endPart()
    return [...events, this.done({ status, content: [...this.#parts] })]
  }

  #event(name: string, members: JsonObject): OutputEvent {
    return this.partEvent(name, { content_index: this.#parts.length, ...members })
  }

  #openPart(kind: PartKind): OutputEvent[] {
    if (this.#open?.kind === kind) return []
    const events = this.#endPart()
    this.#open = { kind, text: '', logprobs: [], annotations: [] }
    return [...events, this.#event('content_part.added', { part: { ...EMPTY_PARTS[kind] } })]
  }

  #endPart(): OutputEvent[] {
    const open = this.#open
    if (!open) return []
    const { kind, text, logprobs, annotations } = open
    const isText = kind === 'text'
    const empty = EMPTY_PARTS[kind]
    const part = { ...empty, [kind]: text, ...(isText && { annotations, logprobs }) }
    const events = [
      this.#event(`${empty.type}.done`, { [kind]: text, ...(isText && { logprobs }) }),
      this.#event('content_part.done', { part }),
    ]
    this.#open = null
    this.#parts.push(part)
    return events
  }
}

/** Reasoning: its text as one part of the summary and, for the client to send back, as it was signed. */
export class ReasoningItem extends OpenItem {
  readonly #showsSigned: boolean
  #signed: JsonObject | null = null
  #text = ''

  /** A client to which signed reasoning is not shown can still refer to the `whole` item. */
  constructor(index: number, id: string, showsSigned: boolean) {
    super(index, { id, type: 'reasoning', summary: [] })
    this.#showsSigned = showsSigned
  }

  add(delta: string): OutputEvent[] {
    const part = { type: 'summary_text', text: '' }
    const begun = this.#text === '' ? [this.#event('part.added', { part })] : []
    this.#text += delta
    return [...begun, this.#event('text.delta', { delta })]
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
    const summary = text === '' ? [] : [part]
    this.whole = { ...this.item, summary, ...this.#signed }
    const done = this.done({ summary, ...(this.#showsSigned && this.#signed) })
    return text === ''
      ? [done]
      : [this.#event('text.done', { text }), this.#event('part.done', { part }), done]
  }

  #event(name: string, members: JsonObject): OutputEvent {
    return this.partEvent(`reasoning_summary_${name}`, { summary_index: 0, ...members })
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
  const signed = decodeSignedReasoning(encrypted)
  if (signed?.format === 'openai-chat')
    return { text: text || stringOr(signed.data.reasoning_content, ''), signed: null }
  return { text, signed: signed ?? { format: 'openai-responses', data: { ...item } } }
}
