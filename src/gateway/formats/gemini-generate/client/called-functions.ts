import type { ToolCall } from '../../../../shared/chat.ts'
import type { GeminiPart } from '../../../../shared/gemini.ts'

/**
 * The function calls in a conversation that have no response yet. Google's calls may lack an id, and their responses then
 * refer to them by name, in order.
 */
export class CalledFunctions {
  /** Names by id, in the order of the calls. */
  readonly #open = new Map<string, string>()
  readonly #idsByName = new Map<string, Set<string>>()
  #count = 0

  add({ id: given, name, args }: NonNullable<GeminiPart['functionCall']>): ToolCall {
    this.#count += 1
    const id = given || `call_${this.#count}`
    const ids = this.#idsByName.get(name) ?? new Set()
    this.#idsByName.set(name, ids.add(id))
    this.#open.set(id, name)
    return { id, type: 'function', function: { name, arguments: JSON.stringify(args ?? {}) } }
  }

  /** The id of the call that is answered; null for a response without a call. */
  takeId({ id: given, name }: NonNullable<GeminiPart['functionResponse']>): string | null {
    const [oldest] = this.#idsByName.get(name) ?? []
    const id = given && this.#open.has(given) ? given : oldest
    if (id === undefined) return null
    this.#idsByName.get(this.#open.get(id) ?? '')?.delete(id)
    this.#open.delete(id)
    return id
  }
}
