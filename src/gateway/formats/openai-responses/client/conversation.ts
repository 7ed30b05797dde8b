import type { ChatRequest, ContentPart, ToolCall } from '../../../../shared/chat.ts'
import type { SignedReasoning } from '../../chat/reasoning.ts'
import { simplify, textOf } from './content.ts'
import type { DecodedReasoning } from './reasoning.ts'

type Message = ChatRequest['messages'][number]

/** What the model said in one turn: several items of the Responses API are one message. */
interface Turn {
  texts: string[]
  refusals: string[]
  calls: ToolCall[]
  reasoning: string[]
  signed: SignedReasoning[]
  /** Signed reasoning whose following item is not known yet. */
  unplaced: SignedReasoning[]
}

/** Outputs by call id, in order: some servers use the same ids again in later turns. */
export type OutputQueues = Map<string, ContentPart[][]>

/** Builds chat messages: outputs of tools follow the message with their calls, as servers require. */
export class Conversation {
  readonly #messages: Message[] = []
  readonly #outputs: OutputQueues
  #turn: Turn | null = null

  constructor(outputs: OutputQueues) {
    this.#outputs = outputs
  }

  /** Successive system messages become one: templates of local models often accept no more. */
  addSystem(parts: ContentPart[]): void {
    this.#endTurn()
    const text = textOf(parts, '\n')
    if (text === '') return
    const last = this.#messages.at(-1)
    if (last?.role === 'system' && typeof last.content === 'string') last.content += `\n\n${text}`
    else this.#messages.push({ role: 'system', content: text })
  }

  addUser(parts: ContentPart[]): void {
    this.#endTurn()
    if (parts.length > 0) this.#messages.push({ role: 'user', content: simplify(parts) })
  }

  addAssistant(parts: readonly ContentPart[]): void {
    const turn = this.#openTurn()
    const text = textOf(parts, '')
    if (text !== '') turn.texts.push(text)
    for (const part of parts)
      if (part.type === 'refusal' && typeof part.refusal === 'string') turn.refusals.push(part.refusal)
    turn.signed.push(...turn.unplaced.splice(0))
  }

  addReasoning({ text, signed }: DecodedReasoning): void {
    const turn = this.#openTurn()
    if (text !== '') turn.reasoning.push(text)
    if (signed) turn.unplaced.push(signed)
  }

  addCall(call: ToolCall): void {
    const turn = this.#openTurn()
    turn.signed.push(...turn.unplaced.splice(0).map((entry) => ({ ...entry, call_id: call.id })))
    turn.calls.push(call)
  }

  /** The model has seen the outputs of its turn's calls. */
  endTurn(): void {
    this.#endTurn()
  }

  end(): Message[] {
    this.#endTurn()
    return this.#messages
  }

  #openTurn(): Turn {
    this.#turn ??= { texts: [], refusals: [], calls: [], reasoning: [], signed: [], unplaced: [] }
    return this.#turn
  }

  #endTurn(): void {
    const turn = this.#turn
    if (!turn) return
    this.#turn = null
    const { texts, refusals, calls, reasoning } = turn
    const signed = [...turn.signed, ...turn.unplaced]
    const content = texts.join('\n\n')
    // Reasoning alone is an answer that was interrupted: no server accepts a message without content.
    if (content === '' && refusals.length === 0 && calls.length === 0) return
    this.#messages.push({
      role: 'assistant',
      content: refusals.length > 0 ? withRefusals(content, refusals) : content === '' ? null : content,
      ...(calls.length > 0 && { tool_calls: calls }),
      ...(reasoning.length > 0 && { reasoning_content: reasoning.join('\n\n') }),
      ...(signed.length > 0 && { signed_reasoning: signed }),
    })
    this.#addOutputs(calls)
  }

  #addOutputs(calls: readonly ToolCall[]): void {
    const media: ContentPart[] = []
    for (const { id } of calls) {
      const parts = this.#outputs.get(id)?.shift()
      if (!parts) continue
      const others = parts.filter(({ type }) => type !== 'text')
      const text = textOf(parts, '\n') || (others.length > 0 ? 'The output is in the next message.' : '')
      this.#messages.push({ role: 'tool', tool_call_id: id, content: text })
      // Tool messages of the chat format are text.
      if (others.length > 0)
        media.push({ type: 'text', text: `The output of the tool call ${id}:` }, ...others)
    }
    if (media.length > 0) this.#messages.push({ role: 'user', content: media })
  }
}

function withRefusals(content: string, refusals: readonly string[]): ContentPart[] {
  const texts: ContentPart[] = content === '' ? [] : [{ type: 'text', text: content }]
  return [...texts, ...refusals.map((refusal): ContentPart => ({ type: 'refusal', refusal }))]
}
