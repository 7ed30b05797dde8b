// Owns how the parts of a stream become an answer. Knows nothing of where the answer stands.
import type { RequestRecord } from '../../shared/requests.ts'
import type { ApiError } from '../api-error.ts'
import type { ChatPart } from '../chat-stream.ts'
import type { Answer, ToolUse } from './chat-storage.ts'

/** What a part of the stream changes in the answer; `ms` is the time since it was asked. */
export function applyPart(answer: Answer, part: ChatPart, ms: number): Partial<Answer> {
  const firstTokenMs = answer.firstTokenMs ?? ms
  switch (part.type) {
    case 'started':
      return { requestId: part.requestId, model: part.model ?? answer.model }
    case 'text':
      return { text: answer.text + part.text, firstTokenMs }
    case 'reasoning':
      return { reasoning: answer.reasoning + part.text, firstTokenMs }
    case 'tool':
      return { toolUses: withPiece(answer.toolUses, part), firstTokenMs }
    case 'model':
      return { model: part.model }
    case 'usage':
      return { tokensIn: part.tokensIn, tokensOut: part.tokensOut, costUsd: part.costUsd }
    case 'finished':
      return { state: 'done', ms }
    default:
      part satisfies never
      return {}
  }
}

function withPiece(uses: readonly ToolUse[], piece: Extract<ChatPart, { type: 'tool' }>): ToolUse[] {
  const before = uses[piece.index] ?? { id: '', name: '', arguments: '' }
  const after = {
    id: before.id || piece.id,
    name: before.name + piece.name,
    arguments: before.arguments + piece.arguments,
  }
  return piece.index < uses.length ? uses.with(piece.index, after) : [...uses, after]
}

/** An answer that did not come to its end: stopped by the user, or failed. */
export function interruptAnswer(
  answer: Answer,
  { message, code, type, requestId }: ApiError,
  stopped: boolean,
  ms: number,
): Partial<Answer> {
  if (stopped) return { state: 'stopped', ms }
  return {
    state: 'failed',
    ms,
    error: { message, code, type },
    requestId: answer.requestId ?? requestId,
  }
}

/** What the record of its request says of an answer. */
export function settled({ tokensIn, tokensOut, costUsd, costStatus }: RequestRecord): Partial<Answer> {
  const sure = costStatus === 'exact' || costStatus === 'free'
  return { tokensIn, tokensOut, costUsd, costNote: sure ? null : costStatus }
}
