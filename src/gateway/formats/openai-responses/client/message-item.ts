import type { JsonObject } from '../../json/json.ts'
import { type EndStatus, itemAdded, itemDone, type OpenItem, type OutputEvent } from './output-item.ts'

interface PartKind {
  /** The part as it is added. */
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
