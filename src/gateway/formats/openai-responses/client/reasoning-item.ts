import { encodeSignedReasoning, type SignedReasoning } from '../../chat/reasoning.ts'
import type { JsonObject } from '../../json/json.ts'
import { type EndStatus, itemAdded, itemDone, type OpenItem, type OutputEvent } from './output-item.ts'
import { unsignedReasoning } from './reasoning.ts'

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

  /** Reasoning items have no status in requests, and clients send them back as they are. */
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
