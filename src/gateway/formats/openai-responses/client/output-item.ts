import type { JsonObject } from '../../json/json.ts'

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
  /** The item as it is so far. */
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
