// Requests of clients of the Responses API, passed through.
import { readMember, setMember } from '../edit-json.ts'
import { isObject, parseJson } from '../json.ts'
import type { NativeCodec } from '../native.ts'
import { decodeSignedReasoning, hasSignedReasoning } from '../signed-reasoning.ts'
import { responsesHeaders } from './request.ts'

function isObjectText(json: string | null): json is string {
  return json?.startsWith('{') ?? false
}

const isSet = (json: string | null): boolean => json !== null && json !== 'null'

/** OpenAI rejects encrypted content that it did not write: its own is restored, that of other providers is left out. */
function withOwnReasoning(body: string): string {
  if (!hasSignedReasoning(body)) return body
  const input = parseJson(readMember(body, 'input') ?? '')
  if (!Array.isArray(input)) return body
  const kept = input.flatMap((item: unknown) => {
    const { encrypted_content: encrypted } = isObject(item) ? item : {}
    const signed = typeof encrypted === 'string' ? decodeSignedReasoning(encrypted) : null
    if (!signed) return [item]
    return signed.format === 'openai-responses' ? [signed.data] : []
  })
  return setMember(body, ['input'], kept)
}

export const native: NativeCodec = {
  clientHeaders: ['openai-beta'],
  request({ body, stream, query, headers }, { upstreamModel, enforcedOutputTokens }) {
    const named = setMember(withOwnReasoning(body), ['model'], upstreamModel)
    const isLimited = isSet(readMember(body, 'max_output_tokens'))
    const limit = isLimited ? null : (enforcedOutputTokens ?? null)
    return {
      path: `/responses${query}`,
      headers: { ...headers, ...responsesHeaders(stream) },
      body: limit === null ? named : setMember(named, ['max_output_tokens'], limit),
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
