import type { ChatUsage } from '../../../../../shared/formats/chat-completion.ts'
import type { AnswerContext } from '../../../chat/codec-types.ts'
import { isObject } from '../../../json/json.ts'

export const context = (body: object = {}): AnswerContext => ({
  requestId: 'req_1',
  model: 'acme-large',
  created: 1,
  body: { sse: true, ...body },
})
export const withThoughts = { generationConfig: { thinkingConfig: { includeThoughts: true } } }
export const usage: ChatUsage = {
  prompt_tokens: 1000,
  completion_tokens: 200,
  total_tokens: 1200,
  prompt_tokens_details: { cached_tokens: 400 },
  completion_tokens_details: { reasoning_tokens: 50 },
  cost: 0.003,
}

/** The parts of the first candidate. */
export function listParts(body: unknown): unknown[] {
  const candidates = isObject(body) && Array.isArray(body.candidates) ? body.candidates : []
  return candidates[0]?.content.parts
}
