// Google's clients send `thoughtSignature` back as it came, and read it as base64.
import { decodeSignedReasoning, encodeSignedReasoning, type SignedReasoning } from '../../chat/reasoning.ts'

/** The `thoughtSignature` that carries signed reasoning. Google's own goes out as it is. */
export function toThoughtSignature(reasoning: readonly SignedReasoning[]): string {
  const [first] = reasoning
  const own = first?.format === 'gemini-generate' ? first.data.thoughtSignature : undefined
  if (typeof own === 'string') return own
  return Buffer.from(reasoning.map(encodeSignedReasoning).join('\n')).toString('base64')
}

/** The signed reasoning in a `thoughtSignature` of this gateway; null in one of Google's. */
export function readThoughtSignature(signature: string): SignedReasoning[] | null {
  const texts = Buffer.from(signature, 'base64').toString('utf8').split('\n')
  const reasoning = texts.map(decodeSignedReasoning).filter((entry) => entry !== null)
  return reasoning.length > 0 ? reasoning : null
}
