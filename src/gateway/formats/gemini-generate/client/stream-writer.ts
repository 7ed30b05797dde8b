// Chat chunks as a stream of the Gemini API.

import type { ErrorBody } from '../../../../shared/api/errors.ts'
import type { ToolCall } from '../../../../shared/formats/chat.ts'
import type { ChatChunk, ChatUsage, ToolCallDelta } from '../../../../shared/formats/chat-completion.ts'
import type { AnswerContext, StreamWriter } from '../../chat/codec-types.ts'
import { readSignedReasoning, type SignedReasoning } from '../../chat/reasoning.ts'
import type { JsonObject } from '../../json/json.ts'
import {
  callParts,
  candidateEnd,
  geminiErrorBody,
  outputParts,
  usageMetadata,
  wantsThoughts,
} from './answer.ts'

/** Kept until the end of a candidate: calls, which this format sends complete, and the reasoning that belongs to them. */
interface PendingChoice {
  calls: Map<number, ToolCall>
  signed: SignedReasoning[]
  finish: string | null
}

function addCallDelta(calls: Map<number, ToolCall>, { index, id, function: called, ...rest }: ToolCallDelta) {
  const before = calls.get(index)
  const { name, arguments: args } = before?.function ?? { name: '', arguments: '' }
  calls.set(index, {
    ...before,
    ...rest,
    id: before?.id || (id ?? ''),
    function: { name: name || (called?.name ?? ''), arguments: args + (called?.arguments ?? '') },
  })
}

/** Writes text when it arrives. The last chunk has the calls, the finish reasons and the usage. */
export class GeminiStreamWriter implements StreamWriter {
  readonly #identity: JsonObject
  readonly #thoughts: boolean
  readonly #framing: Framing
  readonly #pending = new Map<number, PendingChoice>()

  constructor({ requestId, model, body }: AnswerContext, framing: Framing) {
    this.#identity = { modelVersion: model, responseId: requestId }
    this.#thoughts = wantsThoughts(body)
    this.#framing = framing
  }

  get mediaType(): string {
    return this.#framing.mediaType
  }

  get keepAlive(): string {
    return this.#framing.keepAlive
  }

  nativeEvent(data: string): string {
    return this.#framing.element(data)
  }

  nativeEnd(): string {
    return this.#framing.end()
  }

  chunk({ choices }: ChatChunk): string {
    const candidates: JsonObject[] = []
    for (const { index, delta, finish_reason: finish } of choices) {
      const pending = this.#getPending(index)
      for (const call of delta.tool_calls ?? []) addCallDelta(pending.calls, call)
      pending.signed.push(...readSignedReasoning(delta))
      pending.finish = finish ?? pending.finish
      const parts = outputParts(delta, this.#thoughts)
      if (parts.length > 0) candidates.push({ content: { parts, role: 'model' }, index })
    }
    return candidates.length === 0 ? '' : this.#write({ candidates })
  }

  end(usage: ChatUsage): string {
    const candidates = [...this.#pending]
      .toSorted(([a], [b]) => a - b)
      .map(([index, pending]) => {
        const { parts, malformed } = callParts([...pending.calls.values()], pending.signed)
        // Google's SDK takes an answer with a chunk without parts for invalid.
        const content = { parts: parts.length > 0 ? parts : [{ text: '' }], role: 'model' }
        return { content, ...candidateEnd(pending.finish, malformed), index }
      })
    return this.#write({ candidates, usageMetadata: usageMetadata(usage) }) + this.#framing.end()
  }

  fail(error: ErrorBody, status: number): string {
    return this.#framing.element(JSON.stringify(geminiErrorBody(error, status))) + this.#framing.end()
  }

  #write(members: JsonObject): string {
    return this.#framing.element(JSON.stringify({ ...members, ...this.#identity }))
  }

  #getPending(index: number): PendingChoice {
    const pending = this.#pending.get(index) ?? { calls: new Map(), signed: [], finish: null }
    this.#pending.set(index, pending)
    return pending
  }
}

// Google streams server-sent events for `alt=sse`, and otherwise one JSON array, written element by element.

export interface Framing {
  mediaType: string
  /** Text that keeps a silent connection open. */
  keepAlive: string
  element(json: string): string
  /** The end of the stream. */
  end(): string
}

export function sseFraming(): Framing {
  return {
    mediaType: 'text/event-stream; charset=utf-8',
    keepAlive: ': keep-alive\n\n',
    element: (json) =>
      `${json
        .split('\n')
        .map((line) => `data: ${line}\n`)
        .join('')}\n`,
    end: () => '',
  }
}

export function arrayFraming(): Framing {
  let isOpen = false
  return {
    mediaType: 'application/json; charset=utf-8',
    keepAlive: '\n',
    element(json) {
      const before = isOpen ? ',\n' : '['
      isOpen = true
      return before + json
    },
    end: () => (isOpen ? '\n]\n' : '[]\n'),
  }
}
