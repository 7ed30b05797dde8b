// Gemini signs calls. A chat message has the signature in the call, as Google's OpenAI-compatible endpoint does.
import type { ToolCall } from '../../../../shared/chat.ts'
import { readCallSignature, type SignedReasoning } from '../../chat/reasoning.ts'
import type { JsonObject } from '../../json/json.ts'

/** The signature of a call as signed reasoning before it. */
export function signatureOfCall(call: JsonObject): SignedReasoning[] {
  const signature = readCallSignature(call)
  if (signature === null || typeof call.id !== 'string') return []
  // The mark distinguishes it from the signature of a text before the call.
  const data = { thoughtSignature: signature, ofCall: true }
  return [{ format: 'gemini-generate', data, call_id: call.id }]
}

interface SignedCall {
  call: ToolCall
  /** The reasoning before the call without the call's own signature. */
  others: SignedReasoning[]
}

/** The call with its own signature, if the reasoning before it has that. */
export function signCall(call: ToolCall, before: readonly SignedReasoning[]): SignedCall {
  const isOwn = ({ format, data }: SignedReasoning) => format === 'gemini-generate' && data.ofCall === true
  const signature = before.findLast(isOwn)?.data.thoughtSignature
  return {
    call:
      typeof signature === 'string'
        ? { ...call, extra_content: { google: { thought_signature: signature } } }
        : call,
    others: before.filter((entry) => !isOwn(entry)),
  }
}
