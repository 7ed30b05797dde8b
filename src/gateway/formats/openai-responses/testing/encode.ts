import type { ChatRequest } from '../../../../shared/formats/chat.ts'
import type { Target } from '../../chat/codec-types.ts'
import { isObject, type JsonObject, parseJson } from '../../json/json.ts'
import { Replay } from '../../testing/replay.ts'
import { openaiResponses } from '../codec.ts'
import { readResponsesRequest } from './request-schema.ts'

/** Its target remembers the reasoning of the answers it has read. */
export const replay = new Replay(openaiResponses, 'openai-responses')

/** The encoded body, validated against the types of the vendor's SDK. */
export function encode(request: Partial<ChatRequest>, overrides: Partial<Target> = {}): JsonObject {
  const messages: ChatRequest['messages'] = [{ role: 'user', content: 'Hi' }]
  const { body } = openaiResponses.chatRequest(
    { model: 'x', messages, ...request },
    { ...replay.target, ...overrides },
  )
  const value = parseJson(body)
  readResponsesRequest(value)
  if (!isObject(value)) throw new TypeError('the body is no object')
  return value
}

/** The input items of the messages. */
export function encodeMessages(messages: ChatRequest['messages'], overrides: Partial<Target> = {}): unknown {
  return encode({ messages }, overrides).input
}
