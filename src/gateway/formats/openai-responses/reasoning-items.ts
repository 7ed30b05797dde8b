// Reasoning items: OpenAI encrypts their content if it does not store the answer, and expects them back before the output
// that they belong to. Source: OpenAI's guide "Reasoning", encrypted reasoning items.

import type { ReasoningSignatures, SignedReasoning } from '../chat/reasoning.ts'
import { isObject, type JsonObject, parseJson } from '../json/json.ts'

export const FORMAT = 'openai-responses'

/** Stands for the message's text among the items before a call. OpenAI's marks also have its `phase`, which it expects back. */
export const MESSAGE_MARK: JsonObject = { type: 'message' }

export function isMessageMark(item: JsonObject): boolean {
  return item.type === 'message'
}

/**
 * A reasoning item as it is sent back. Null for one without content: OpenAI would look for it among the answers that it
 * stores, and reject the request.
 */
export function readReasoningItem(item: JsonObject): JsonObject | null {
  const { type, id, summary, content, encrypted_content: encrypted } = item
  if (type !== 'reasoning') return null
  const isEncrypted = typeof encrypted === 'string' && encrypted !== ''
  const hasContent = Array.isArray(content) && content.length > 0
  if (!isEncrypted && !hasContent) return null
  return {
    type,
    ...(typeof id === 'string' && { id }),
    summary: Array.isArray(summary) ? summary : [],
    ...(hasContent && { content }),
    ...(isEncrypted && { encrypted_content: encrypted }),
  }
}

/** The reasoning items before a tool call, remembered for clients that do not send them back. */
export function recallItems(callId: string, signatures: ReasoningSignatures): JsonObject[] {
  const items = parseJson(signatures.recall(callId) ?? '')
  return Array.isArray(items) ? items.filter(isObject) : []
}

/** Follows the order of an answer's output: which reasoning precedes which output. */
export class ReasoningOrder {
  readonly #signatures: ReasoningSignatures
  /** Reasoning and marks of messages since the last tool call. */
  #sinceCall: JsonObject[] = []
  /** Reasoning after other output, whose own output has not come yet. */
  #pending: JsonObject[] = []
  #hasOutput = false

  constructor(signatures: ReasoningSignatures) {
    this.#signatures = signatures
  }

  /** Each method returns the reasoning whose place is now known. */
  reasoning(item: JsonObject): SignedReasoning[] {
    const data = readReasoningItem(item)
    if (!data) return []
    this.#sinceCall.push(data)
    if (!this.#hasOutput) return [{ format: FORMAT, data }]
    this.#pending.push(data)
    return []
  }

  message({ phase }: JsonObject): SignedReasoning[] {
    this.#hasOutput = true
    this.#sinceCall.push({ ...MESSAGE_MARK, ...(typeof phase === 'string' && { phase }) })
    return this.end()
  }

  call(callId: string): SignedReasoning[] {
    this.#hasOutput = true
    const hasReasoning = this.#sinceCall.some((item) => !isMessageMark(item))
    if (hasReasoning) this.#signatures.remember(callId, JSON.stringify(this.#sinceCall))
    this.#sinceCall = []
    return this.#take().map((data) => ({ format: FORMAT, data, call_id: callId }))
  }

  end(): SignedReasoning[] {
    return this.#take().map((data) => ({ format: FORMAT, data }))
  }

  #take(): JsonObject[] {
    const pending = this.#pending
    this.#pending = []
    return pending
  }
}
