import type { ChatRequest } from '../../../../shared/formats/chat.ts'
import type { Quirks } from '../../chat/codec-types.ts'
import type { JsonObject } from '../../json/json.ts'
import { Replay } from '../../testing/replay.ts'
import { geminiGenerate } from '../codec.ts'
import { readGeminiRequest } from './request-schema.ts'

export const replay = new Replay(geminiGenerate, 'gemini-generate')
export const functionTool = (name: string, parameters?: JsonObject) => ({
  type: 'function' as const,
  function: { name, ...(parameters && { parameters }) },
})

/** The encoded body, validated against the types of the vendor's SDK. */
export function encode(
  request: Partial<ChatRequest>,
  quirks: Quirks = {},
  maxOutputTokens: number | null = null,
): unknown {
  const body = replay.encode(request, { quirks, maxOutputTokens })
  readGeminiRequest(body)
  return body
}
