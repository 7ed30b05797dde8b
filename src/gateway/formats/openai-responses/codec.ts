// OpenAI's Responses API. Source: OpenAI's API reference. The gateway sends the whole conversation each time and asks the
// provider to store nothing.
import type { CompletionIdentity, FormatCodec } from '../chat/codec.ts'
import type { PlainAnswer } from '../chat/events.ts'
import { emptyAnswer, malformedAnswer, UpstreamFailure, withUsage } from '../chat/failure.ts'
import { normalizeCompletion } from '../chat/normalize.ts'
import type { Target } from '../chat/target.ts'
import { isObject } from '../json/json.ts'
import { readErrorText } from '../openai-chat/errors.ts'
import { readModelList } from '../openai-chat/models.ts'
import { native } from './native.ts'
import { type ReadOutput, readOutput } from './output-items.ts'
import { readLogprobs } from './output-text.ts'
import { chatRequest } from './request.ts'
import { readEnd } from './status.ts'
import { ResponsesStream } from './stream.ts'
import { readResponsesUsage } from './usage.ts'

function toMessage({ text, refusal, reasoning, signed, calls, annotations, others }: ReadOutput) {
  return {
    role: 'assistant',
    content: text === '' && (calls.length > 0 || refusal !== '') ? null : text,
    refusal: refusal === '' ? null : refusal,
    ...(annotations.length > 0 && { annotations }),
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(signed.length > 0 && { signed_reasoning: signed }),
    ...(others.length > 0 && { content_parts: others }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
}

function plainAnswer(
  body: unknown,
  { signatures, quirks }: Target,
  defaults: CompletionIdentity,
): PlainAnswer | UpstreamFailure {
  if (!isObject(body)) return malformedAnswer('The answer is not a JSON object.')
  const usage = readResponsesUsage(body, quirks)
  const items = Array.isArray(body.output) ? body.output : []
  const output = readOutput(items, signatures)
  const end = readEnd(body, output.calls.length > 0)
  if (end instanceof UpstreamFailure) return withUsage(end, usage)
  if (!Array.isArray(body.output)) return emptyAnswer('The answer has no output.', usage)
  const choice = {
    index: 0,
    message: toMessage(output),
    logprobs: readLogprobs(output.logprobs),
    finish_reason: end,
  }
  const { id, created_at: created, model, service_tier: tier } = body
  const completion = normalizeCompletion(
    { id, created, model, choices: [choice], ...(typeof tier === 'string' && { service_tier: tier }) },
    defaults,
  )
  if (!completion) return malformedAnswer('The answer has no message.')
  return { kind: 'plain', completion, usage }
}

export const openaiResponses: FormatCodec = {
  quirks: { noN: true },
  headers: {},
  authorization: 'bearer',
  chatRequest,
  native,
  plainAnswer,
  streamParser: (target, defaults) => new ResponsesStream(target, defaults),
  errorBody: readErrorText,
  modelsPath: '/models',
  nextPage: () => null,
  models: readModelList,
}
