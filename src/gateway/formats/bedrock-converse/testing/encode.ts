import type { ChatRequest } from '../../../../shared/formats/chat.ts'
import type { Target } from '../../chat/codec-types.ts'
import { Replay } from '../../testing/replay.ts'
import { bedrockConverse } from '../codec.ts'
import { type ConverseBody, readConverseRequest } from './request-schema.ts'

export const CLAUDE = 'eu.anthropic.claude-sonnet-4-6'
export const NOVA = 'us.amazon.nova-2-lite-v1:0'
export const LLAMA = 'us.meta.llama4-scout-17b-instruct-v1:0'
export const GPT = 'openai.gpt-6-sol'

export const replay = new Replay(bedrockConverse, 'bedrock-converse')

/** The encoded body, validated against the types of the vendor's SDK. */
export function encode(
  request: Partial<ChatRequest>,
  upstreamModel = NOVA,
  target: Partial<Target> = {},
): ConverseBody {
  return readConverseRequest(replay.encode(request, { upstreamModel, ...target }))
}
