// Requests of clients of the Responses API, passed through.
import { readMember, setMember } from '../edit-json.ts'
import type { NativeCodec } from '../native.ts'
import { responsesHeaders } from './request.ts'

function isObjectText(json: string | null): json is string {
  return json?.startsWith('{') ?? false
}

const isSet = (json: string | null): boolean => json !== null && json !== 'null'

export const native: NativeCodec = {
  clientHeaders: ['openai-beta'],
  request({ body, stream, query, headers }, { upstreamModel, enforcedOutputTokens }) {
    const named = setMember(body, ['model'], upstreamModel)
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
