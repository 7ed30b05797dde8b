import { isObject } from '../json/json.ts'

/** The signature in a tool call, in the field of Google's OpenAI-compatible endpoint. */
export function readCallSignature(call: Readonly<Record<string, unknown>>): string | null {
  const extra = isObject(call.extra_content) ? call.extra_content : {}
  const google = isObject(extra.google) ? extra.google : {}
  return typeof google.thought_signature === 'string' && google.thought_signature !== ''
    ? google.thought_signature
    : null
}
