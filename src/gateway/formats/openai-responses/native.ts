// Requests of clients of the Responses API, passed through.

import type { NativeCodec, NativeRequest } from '../chat/codec.ts'
import { decodeSignedReasoning, isSignedReasoning } from '../chat/reasoning.ts'
import { limitOutput } from '../chat/target.ts'
import { editMembers, readMember, setMember } from '../json/edit-json.ts'
import { isObject, parseJson } from '../json/json.ts'
import { readReasoningItem } from './reasoning-items.ts'
import { responsesHeaders } from './request.ts'

function hasSignedReasoning(item: unknown): boolean {
  const { encrypted_content: encrypted } = isObject(item) ? item : {}
  return typeof encrypted === 'string' && isSignedReasoning(encrypted)
}

function isObjectText(json: string | null): json is string {
  return json?.startsWith('{') ?? false
}

/** OpenAI rejects encrypted content that it did not write: its own is restored, that of other providers is left out. */
function withOwnReasoning({ body, json }: NativeRequest): string {
  if (!Array.isArray(json.input) || !json.input.some(hasSignedReasoning)) return body
  const input = parseJson(readMember(body, 'input') ?? '')
  if (!Array.isArray(input)) return body
  const kept = input.flatMap((item: unknown) => {
    const { encrypted_content: encrypted } = isObject(item) ? item : {}
    const signed = typeof encrypted === 'string' ? decodeSignedReasoning(encrypted) : null
    if (!signed) return [item]
    // Anybody can write such a text, so nothing but reasoning is taken from it.
    const own = signed.format === 'openai-responses' ? readReasoningItem(signed.data) : null
    return own ? [own] : []
  })
  return setMember(body, ['input'], kept)
}

export const native: NativeCodec = {
  clientHeaders: ['openai-beta'],
  namesEvents: true,
  request(given, target) {
    const { json, stream, query, headers } = given
    const { max_output_tokens: requested } = json
    const limit = limitOutput(typeof requested === 'number' ? requested : null, target)
    const isChanged = limit !== null && limit !== requested
    const edits = { model: target.upstreamModel, ...(isChanged && { max_output_tokens: limit }) }
    return {
      path: `/responses${query}`,
      headers: { ...headers, ...responsesHeaders(stream) },
      body: editMembers(withOwnReasoning(given), edits),
    }
  },
  addCost(json, costUsd) {
    if (isObjectText(readMember(json, 'usage'))) return setMember(json, ['usage', 'cost'], costUsd)
    const response = readMember(json, 'response')
    return isObjectText(response) && isObjectText(readMember(response, 'usage'))
      ? setMember(json, ['response', 'usage', 'cost'], costUsd)
      : json
  },
}
