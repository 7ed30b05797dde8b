import type { ToolCallDelta } from '../../../../shared/chat-completion.ts'
import type { SignedReasoning } from '../../chat/reasoning.ts'
import { isObject, parseJson } from '../../json/json.ts'

export interface QueuedCall {
  id: string
  name: string
  /** The signed reasoning directly before it. */
  signed: readonly SignedReasoning[]
  /** Everything received. */
  received: string
  /** How much of it has been sent. */
  sent: number
}

/**
 * The tool calls of a stream in their order. In Anthropic's format one block follows the other, so the arguments of a
 * call wait until those of the earlier ones are complete.
 */
export class ToolCallQueue {
  readonly #calls = new Map<number, QueuedCall>()
  /** The calls that are not complete or not begun, first the one that is being sent. */
  #waiting: QueuedCall[] = []

  add({ index, id, function: called }: ToolCallDelta, signed: readonly SignedReasoning[]): void {
    const known = this.#calls.get(index)
    if (known) {
      known.received += called?.arguments ?? ''
      return
    }
    const call = {
      id: id ?? '',
      name: called?.name ?? '',
      signed: signed.filter((entry) => entry.call_id === id),
      received: called?.arguments ?? '',
      sent: 0,
    }
    this.#calls.set(index, call)
    this.#waiting.push(call)
  }

  /** The call whose arguments can be sent now. */
  get current(): QueuedCall | null {
    return this.#waiting[0] ?? null
  }

  /** Whether the current call is complete, as far as its arguments show. */
  get isComplete(): boolean {
    return isObject(parseJson(this.current?.received ?? ''))
  }

  get hasNext(): boolean {
    return this.#waiting.length > 1
  }

  /** Goes on to the next call. */
  advance(): void {
    this.#waiting = this.#waiting.slice(1)
  }
}
