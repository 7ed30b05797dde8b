import { getText, type JsonObject, toObject, toObjects } from '../values/json.ts'

/**
 * What the parts of a stream are put together in, by the number that the provider gave them. A number can be anything, so an array
 * is not safe: one item at 4,000,000,000 would make it that long.
 */
class NumberedItems<Item> {
  readonly #items = new Map<number, Item>()

  get(index: unknown): Item | undefined {
    return this.#items.get(Number(index ?? 0))
  }

  set(index: unknown, item: Item): void {
    this.#items.set(Number(index ?? 0), item)
  }

  /** In the order of their numbers. */
  list(): Item[] {
    return [...this.#items].toSorted(([a], [b]) => a - b).map(([, item]) => item)
  }
}

export interface AssembledCall {
  id: string
  name: string
  arguments: string
}

/** A call with one more piece of it. Some providers repeat its id in each. */
export function growCall(call: AssembledCall | undefined, piece: JsonObject): AssembledCall {
  return {
    id: call?.id || getText(piece.id),
    name: (call?.name ?? '') + getText(piece.name),
    arguments: (call?.arguments ?? '') + getText(piece.arguments),
  }
}

const LISTS = ['images', 'content_parts', 'signed_reasoning'] as const

interface AssembledChoice {
  content: string
  reasoning: string
  refusal: string
  /** Pictures, output without a counterpart in chats, and signed reasoning. */
  lists: Partial<Record<(typeof LISTS)[number], JsonObject[]>>
  calls: NumberedItems<AssembledCall>
  /** The finish reason; null before the end. */
  finish: string | null
}

/** Puts the choices of a chat completion together from the deltas of its stream, or from its messages. */
export class AnswerAssembler {
  readonly #choices = new NumberedItems<AssembledChoice>()

  add(index: unknown, delta: JsonObject, finish: string | null = null): void {
    const before = this.#choices.get(index)
    const calls = before?.calls ?? new NumberedItems()
    const lists = before?.lists ?? {}
    this.#choices.set(index, {
      content: (before?.content ?? '') + getText(delta.content),
      reasoning: (before?.reasoning ?? '') + (getText(delta.reasoning_content) || getText(delta.reasoning)),
      refusal: (before?.refusal ?? '') + getText(delta.refusal),
      lists,
      calls,
      finish: finish ?? before?.finish ?? null,
    })
    for (const name of LISTS) {
      const items = toObjects(delta[name])
      if (items.length > 0) lists[name] = [...(lists[name] ?? []), ...items]
    }
    // The calls of a message have no index.
    for (const [position, call] of toObjects(delta.tool_calls).entries()) {
      const at = call.index ?? position
      const { name, input } = toObject(call.custom)
      calls.set(
        at,
        growCall(calls.get(at), { name, arguments: input, ...toObject(call.function), id: call.id }),
      )
    }
  }

  list(): AssembledChoice[] {
    return this.#choices.list()
  }
}
