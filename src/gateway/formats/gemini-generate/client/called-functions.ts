import type { ToolCall } from '../../../../shared/chat.ts'
import type { GeminiPart } from '../../../../shared/gemini.ts'
import { invalidRequest } from '../../../platform/errors.ts'

interface Called {
  id: string
  name: string
  answered: boolean
}

/**
 * The function calls in a conversation. Google's calls may lack an id, and their responses then refer to them by name, in
 * order.
 */
export class CalledFunctions {
  readonly #calls: Called[] = []

  add({ id, name, args }: NonNullable<GeminiPart['functionCall']>): ToolCall {
    const call = { id: id || `call_${this.#calls.length + 1}`, name, answered: false }
    this.#calls.push(call)
    return { id: call.id, type: 'function', function: { name, arguments: JSON.stringify(args ?? {}) } }
  }

  /** The id of the call that is answered. Throws 400 for a response without a call. */
  takeId({ id, name }: NonNullable<GeminiPart['functionResponse']>, path: string): string {
    const open = this.#calls.filter(({ answered }) => !answered)
    const call =
      (id ? open.find((each) => each.id === id) : undefined) ?? open.find((each) => each.name === name)
    if (!call)
      throw invalidRequest(`There is no call of the function "${name.slice(0, 100)}" before this response.`, {
        param: path,
      })
    call.answered = true
    return call.id
  }
}
