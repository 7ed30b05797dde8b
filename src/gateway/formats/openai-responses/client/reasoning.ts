import type { InputItem } from '../../../../shared/responses.ts'
import { decodeSignedReasoning, type SignedReasoning } from '../../chat/reasoning.ts'
import { isObject, stringOr } from '../../json/json.ts'

export interface DecodedReasoning {
  text: string
  signed: SignedReasoning | null
}

/** Reasoning of a provider that signs none, in the form of signed reasoning. */
export function unsignedReasoning(text: string): SignedReasoning {
  return { format: 'openai-chat', data: { reasoning_content: text } }
}

function textsOf(parts: unknown): string[] {
  if (!Array.isArray(parts)) return []
  return parts.flatMap((part) => (isObject(part) && typeof part.text === 'string' ? [part.text] : []))
}

/** A reasoning item: its encrypted content is a text of ours, or the provider's own, which only that provider can read. */
export function decodeReasoningItem(item: InputItem): DecodedReasoning {
  const { encrypted_content: encrypted, summary, content } = item
  const text = [...textsOf(content), ...textsOf(summary)].join('\n\n')
  if (typeof encrypted !== 'string') return { text, signed: null }
  const own = decodeSignedReasoning(encrypted)
  if (own?.format === 'openai-chat')
    return { text: text || stringOr(own.data.reasoning_content, ''), signed: null }
  return { text, signed: own ?? { format: 'openai-responses', data: { ...item } } }
}
