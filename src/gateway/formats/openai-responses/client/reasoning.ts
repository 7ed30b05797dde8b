import type { InputItem } from '../../../../shared/responses.ts'
import { isObject } from '../../json.ts'
import { decodeSignedReasoning, type SignedReasoning } from '../../signed-reasoning.ts'

export interface DecodedReasoning {
  text: string
  signed: SignedReasoning | null
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
  return { text, signed: own ?? { format: 'openai-responses', data: { ...item } } }
}
