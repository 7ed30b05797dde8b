// Owns Anthropic's Messages codec: requests translated out of the chat-completions format, answers back into it.
// Source: Anthropic's API reference, version 2023-06-01 (the later 2026-10-21 refuses every sampling field).
// What was thought before a tool call must come back signed when the call is answered; no client of the
// chat-completions format carries it, so it is kept here by the id of the call.
import type { ChatRequest } from '../../../shared/chat.ts'
import type { AnswerDefaults, EncodedRequest, FormatCodec } from '../codec.ts'
import type { PlainAnswer } from '../events.ts'
import { isObject, stringOr } from '../json.ts'
import { normaliseCompletion } from '../openai-chat/normalise-completion.ts'
import { Recall } from '../reasoning-signatures.ts'
import type { Target } from '../target.ts'
import { UpstreamFailure } from '../upstream-failure.ts'
import { finishReasonFor, readContent, refusalIn } from './blocks.ts'
import { anthropicFailure, readAnthropicError } from './errors.ts'
import { nextAnthropicPage, readAnthropicModels } from './models.ts'
import { anthropicBody } from './request.ts'
import { AnthropicStream } from './stream.ts'
import { readAnthropicUsage } from './usage.ts'

const thoughts = new Recall()

function malformed(message: string): UpstreamFailure {
  return new UpstreamFailure({ kind: 'malformed', message })
}

function chatRequest(request: ChatRequest, target: Target): EncodedRequest {
  return {
    path: '/messages',
    headers: {
      'content-type': 'application/json',
      accept: request.stream ? 'text/event-stream' : 'application/json',
    },
    body: JSON.stringify(anthropicBody(request, target, thoughts)),
  }
}

function plainAnswer(body: unknown, _: Target, defaults: AnswerDefaults): PlainAnswer | UpstreamFailure {
  if (!isObject(body)) return malformed('The answer is not a JSON object.')
  if (body.type === 'error' || isObject(body.error)) return anthropicFailure(body)
  if (!Array.isArray(body.content)) return malformed('The answer has no content.')
  const { text, reasoning, calls, others } = readContent(body.content, thoughts)
  const message = {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    refusal: null,
    ...refusalIn(body),
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(others.length > 0 && { content_parts: others }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
  const finish = finishReasonFor(stringOr(body.stop_reason, 'end_turn'))
  const completion = normaliseCompletion(
    {
      id: body.id,
      model: body.model,
      choices: [{ index: 0, message, logprobs: null, finish_reason: finish }],
    },
    defaults,
  )
  if (!completion) return malformed('The answer has no message.')
  return { kind: 'plain', completion, usage: readAnthropicUsage(body.usage) }
}

export const anthropicMessages: FormatCodec = {
  quirks: { noN: true },
  headers: { 'anthropic-version': '2023-06-01' },
  authorization: (credential) => ({ 'x-api-key': credential }),
  chatRequest,
  plainAnswer,
  streamParser: (_, defaults) => new AnthropicStream(defaults, thoughts),
  errorBody: readAnthropicError,
  modelsPath: '/models?limit=1000',
  nextPage: nextAnthropicPage,
  models: readAnthropicModels,
}
