import type { ChatRequest } from '../../../../shared/formats/chat.ts'
import type { Quirks } from '../../chat/codec-types.ts'
import { Replay } from '../../testing/replay.ts'
import { anthropicMessages } from '../codec.ts'
import { readAnthropicRequest } from './request-schema.ts'

export const replay = new Replay(anthropicMessages, 'anthropic-messages')
export const weather = {
  type: 'function' as const,
  function: { name: 'get_weather', description: 'Weather', parameters: { properties: { city: {} } } },
}

/** The encoded body, validated against the types of the vendor's SDK. */
export function encode(
  request: Partial<ChatRequest>,
  quirks: Quirks = {},
  maxOutputTokens: number | null = null,
): unknown {
  const body = replay.encode(request, { quirks, maxOutputTokens })
  readAnthropicRequest(body)
  return body
}
