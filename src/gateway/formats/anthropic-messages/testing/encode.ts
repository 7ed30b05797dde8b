import type { ChatRequest } from '../../../../shared/formats/chat.ts'
import type { Quirks } from '../../chat/codec-types.ts'
import { parseJson } from '../../json/json.ts'
import { Replay } from '../../testing/replay.ts'
import { anthropicMessages } from '../codec.ts'
import { readAnthropicRequest } from './request-schema.ts'

/** Its target remembers the signatures of the streams it has read. */
export const replay = new Replay(anthropicMessages, 'anthropic-messages')
export const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
export const hello: ChatRequest['messages'] = [{ role: 'user', content: 'Hi' }]
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
  const target = { ...replay.target, quirks, maxOutputTokens }
  const { body } = anthropicMessages.chatRequest({ model: 'x', messages: hello, ...request }, target)
  const value = parseJson(body)
  readAnthropicRequest(value)
  return value
}

export function toolCall(id: string, name: string, args = '{}') {
  return { id, type: 'function', function: { name, arguments: args } }
}
