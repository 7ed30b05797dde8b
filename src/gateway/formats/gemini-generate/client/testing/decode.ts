import { GenerateContentRequest } from '../../../../../shared/formats/gemini.ts'
import type { DecodedRequest } from '../../../chat/codec-types.ts'
import { geminiClient } from '../codec.ts'

/** The chat request for a body as a client sends it. */
export function decode(body: object, more: { stream?: boolean } = {}): DecodedRequest {
  const parsed = GenerateContentRequest.parse(body)
  return geminiClient.decodeRequest({ ...parsed, model: 'm', stream: false, sse: true, ...more })
}

export const user = (...parts: object[]) => ({ role: 'user', parts })
export const model = (...parts: object[]) => ({ role: 'model', parts })
export const hello = [user({ text: 'Hi' })]
