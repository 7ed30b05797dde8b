import type { ChatRequest } from '../../../../shared/formats/chat.ts'
import type { Target } from '../../chat/codec-types.ts'
import { isObject, type JsonObject } from '../../json/json.ts'
import { Replay } from '../../testing/replay.ts'
import { openaiResponses } from '../codec.ts'
import { readResponsesRequest } from './request-schema.ts'

export const replay = new Replay(openaiResponses, 'openai-responses')

/** The encoded body, validated against the types of the vendor's SDK. */
export function encode(request: Partial<ChatRequest>, overrides: Partial<Target> = {}): JsonObject {
  const body = replay.encode(request, overrides)
  readResponsesRequest(body)
  if (!isObject(body)) throw new TypeError('the body is no object')
  return body
}

/** The input items of the messages. */
export function encodeMessages(messages: ChatRequest['messages'], overrides: Partial<Target> = {}): unknown {
  return encode({ messages }, overrides).input
}
