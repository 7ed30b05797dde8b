// Chat completions as messages of Anthropic's Messages API.

import type { ErrorBody } from '../../../../shared/api/errors.ts'
import type { ToolCall } from '../../../../shared/formats/chat.ts'
import type { ChatCompletion, ChatUsage } from '../../../../shared/formats/chat-completion.ts'
import type { AnswerContext } from '../../chat/codec-types.ts'
import { NOT_SUPPORTED } from '../../chat/failure.ts'
import {
  encodeSignedReasoning,
  readCallSignature,
  readSignedReasoning,
  type SignedReasoning,
} from '../../chat/reasoning.ts'
import { readUsageDetails } from '../../chat/usage.ts'
import { asList, isObject, type JsonObject, parseJson, stringOr } from '../../json/json.ts'

const STOP_REASONS: ReadonlyMap<string, string> = new Map([
  ['stop', 'end_turn'],
  ['length', 'max_tokens'],
  ['tool_calls', 'tool_use'],
  ['function_call', 'tool_use'],
  ['content_filter', 'refusal'],
])

/** The end of a chat answer, plain or streamed. */
export interface End {
  finishReason: string
  /** The text of a refusal; empty if there is none. */
  refusal: string
  /** vLLM and SGLang state the stop sequence in a member of the choice; other vendors do not. */
  stopReason: unknown
}

/** The members of a message, or of the delta at the end of a stream, that say why it ended. */
export function encodeEnd({ finishReason, refusal, stopReason }: End, { body }: AnswerContext): JsonObject {
  const isRefused = refusal !== '' || finishReason === 'content_filter'
  const sequences: unknown[] = asList(body.stop_sequences)
  const sequence = finishReason === 'stop' && sequences.includes(stopReason) ? stopReason : null
  const usual = sequence === null ? (STOP_REASONS.get(finishReason) ?? 'end_turn') : 'stop_sequence'
  return {
    stop_reason: isRefused ? 'refusal' : usual,
    stop_sequence: sequence,
    stop_details: isRefused ? { type: 'refusal', category: null, explanation: refusal || null } : null,
  }
}

/** Anthropic counts what was read from or written to the cache apart from the input. */
export function encodeUsage(usage: ChatUsage): JsonObject {
  const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total, cost } = usage
  const { cached, written, reasoning } = readUsageDetails(usage)
  return {
    input_tokens: Math.max(0, prompt - cached - written),
    cache_creation_input_tokens: written,
    cache_read_input_tokens: cached,
    // xAI counts reasoning in the total only.
    output_tokens: Math.max(completion, total - prompt),
    output_tokens_details: reasoning > 0 ? { thinking_tokens: reasoning } : null,
    server_tool_use: null,
    ...(cost !== undefined && { cost }),
  }
}

/** Thinking is sent to clients that ask for it: others expect the first block to be text. */
export function wantsThinking({ body }: AnswerContext): boolean {
  return isObject(body.thinking) && body.thinking.type !== 'disabled'
}

/** The signed reasoning in a message or a delta, and the signatures in its calls. */
export function readSigned(message: JsonObject, calls: readonly JsonObject[] = []): SignedReasoning[] {
  return [...readSignedReasoning(message), ...calls.flatMap(readCallReasoning)]
}

/** Anthropic's own blocks unchanged; those of other vendors as the signature of a block with `text`. */
export function thinkingBlock(entry: SignedReasoning, text: string): JsonObject {
  if (entry.format === 'anthropic-messages') return entry.data
  return { type: 'thinking', thinking: text, signature: encodeSignedReasoning(entry) }
}

export function textBlock(text: string): JsonObject {
  // Anthropic's types require the member, and the AI SDK rejects null.
  return { type: 'text', text, citations: [] }
}

export function toolUseBlock(id: string, name: string, input: unknown): JsonObject {
  return { type: 'tool_use', id, name, input, caller: { type: 'direct' } }
}

function encodeCall(call: ToolCall): JsonObject {
  const args = call.function?.arguments ?? ''
  return toolUseBlock(call.id, call.function?.name ?? '', args.trim() === '' ? {} : (parseJson(args) ?? args))
}

type ChatMessage = ChatCompletion['choices'][number]['message']

/** The blocks of thinking, by the tool call that they precede. The reasoning's text is in the first one. */
function encodeThinking(message: ChatMessage): Map<string | undefined, JsonObject[]> {
  let text = stringOr(message.reasoning_content, '')
  const byCall = new Map<string | undefined, JsonObject[]>()
  for (const entry of readSigned(message, message.tool_calls)) {
    const { call_id: callId } = entry
    byCall.set(callId, [...(byCall.get(callId) ?? []), thinkingBlock(entry, text)])
    text = ''
  }
  if (byCall.size === 0 && text !== '')
    byCall.set(undefined, [{ type: 'thinking', thinking: text, signature: '' }])
  return byCall
}

function encodeContent(message: ChatMessage, context: AnswerContext): JsonObject[] {
  const thinking = wantsThinking(context)
    ? encodeThinking(message)
    : new Map<string | undefined, JsonObject[]>()
  const text = message.content || stringOr(message.refusal, '')
  return [
    ...(thinking.get(undefined) ?? []),
    ...(text === '' ? [] : [textBlock(text)]),
    ...(message.tool_calls ?? []).flatMap((call) => [...(thinking.get(call.id) ?? []), encodeCall(call)]),
  ]
}

/** A message without what becomes known with its output. */
export function emptyMessage({ requestId, model }: AnswerContext): JsonObject {
  return {
    id: requestId,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    container: null,
    diagnostics: null,
  }
}

export function answerBody(completion: ChatCompletion, usage: ChatUsage, context: AnswerContext): JsonObject {
  const [choice] = completion.choices
  const message = choice?.message
  const end = {
    finishReason: choice?.finish_reason ?? 'stop',
    refusal: stringOr(message?.refusal, ''),
    stopReason: choice?.stop_reason,
  }
  return {
    ...emptyMessage(context),
    content: message ? encodeContent(message, context) : [],
    ...encodeEnd(end, context),
    usage: {
      ...encodeUsage(usage),
      cache_creation: null,
      service_tier: null,
      inference_geo: null,
      speed: null,
    },
  }
}

// Gemini signs calls. A chat message has the signature in the call, as Google's OpenAI-compatible endpoint does.

/** The signature of a call as signed reasoning before it. */
function readCallReasoning(call: JsonObject): SignedReasoning[] {
  const signature = readCallSignature(call)
  if (signature === null || typeof call.id !== 'string') return []
  // The mark distinguishes it from the signature of a text before the call.
  const data = { thoughtSignature: signature, ofCall: true }
  return [{ format: 'gemini-generate', data, call_id: call.id }]
}

interface SignedCall {
  call: ToolCall
  /** The reasoning before the call without the call's own signature. */
  others: SignedReasoning[]
}

/** The call with its own signature, if the reasoning before it has that. */
export function signCall(call: ToolCall, reasoning: readonly SignedReasoning[]): SignedCall {
  const isOwn = ({ format, data }: SignedReasoning) => format === 'gemini-generate' && data.ofCall === true
  const signature = reasoning.findLast(isOwn)?.data.thoughtSignature
  return {
    call:
      typeof signature === 'string'
        ? { ...call, extra_content: { google: { thought_signature: signature } } }
        : call,
    others: reasoning.filter((entry) => !isOwn(entry)),
  }
}

// Source: Anthropic's API reference, "Errors".

/** The member of a request by which a conversation is continued that the provider keeps. */
export const THREAD = 'thread'

const TYPES: ReadonlyMap<number, string> = new Map([
  [401, 'authentication_error'],
  [402, 'billing_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [408, 'timeout_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [503, 'overloaded_error'],
  [504, 'timeout_error'],
])

function errorType(status: number): string {
  return TYPES.get(status) ?? (status >= 500 ? 'api_error' : 'invalid_request_error')
}

/** Anthropic's SDK responds to this code with the whole conversation, without `thread`. */
const THREAD_UNSUPPORTED = 'thread_unsupported_request'

function readDetails({ code, param }: ErrorBody): JsonObject {
  const errorCode = code === NOT_SUPPORTED && param === THREAD ? THREAD_UNSUPPORTED : code
  return { ...(errorCode !== undefined && { error_code: errorCode }), ...(param !== undefined && { param }) }
}

export function errorBody(error: ErrorBody, status: number, requestId: string): JsonObject {
  const details = readDetails(error)
  return {
    type: 'error',
    error: {
      type: errorType(status),
      message: error.message,
      ...(Object.keys(details).length > 0 && { details }),
    },
    request_id: requestId,
  }
}
