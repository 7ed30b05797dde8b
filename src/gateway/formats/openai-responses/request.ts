// Source: OpenAI's API reference, "Create a response". Only the fields named here are forwarded.
import { type ChatRequest, type KnownChatRequest, outputLimit } from '../../../shared/chat.ts'
import type { EncodedRequest } from '../chat/codec.ts'
import { omitFields } from '../chat/message-content.ts'
import { knownRequest, usesReasoning } from '../chat/request-fields.ts'
import { limitOutput, type Quirks, type Target } from '../chat/target.ts'
import { isObject, type JsonObject } from '../json/json.ts'
import { encodeInput } from './input-items.ts'
import { encodeTools } from './tools.ts'
import { refuseUnsupportedFields } from './unsupported-fields.ts'

/** A smaller limit is rejected (`integer_below_min_value`). */
export const MIN_OUTPUT_TOKENS = 16

/** Fields that both of OpenAI's APIs have. */
const SAME_FIELDS = [
  'metadata',
  'moderation',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'safety_identifier',
  'service_tier',
  'temperature',
  'top_p',
  'user',
]

function encodeLimit(request: KnownChatRequest, target: Target): JsonObject {
  const limit = limitOutput(outputLimit(request), target)
  return limit === null ? {} : { max_output_tokens: Math.max(limit, MIN_OUTPUT_TOKENS) }
}

function encodeReasoning({ reasoning_effort: effort }: KnownChatRequest, quirks: Quirks): JsonObject {
  if (quirks.thinking === 'none' || typeof effort !== 'string') return {}
  const summary = effort === 'none' || quirks.noReasoningSummary ? {} : { summary: 'auto' }
  return { reasoning: { effort, ...summary } }
}

function encodeFormat(format: KnownChatRequest['response_format']): JsonObject {
  if (!format) return {}
  // The members of `json_schema` are beside the type.
  return { format: format.type === 'json_schema' ? { ...format.json_schema, type: format.type } : format }
}

function encodeText(request: KnownChatRequest): JsonObject {
  const text = {
    ...encodeFormat(request.response_format),
    ...(typeof request.verbosity === 'string' && { verbosity: request.verbosity }),
  }
  return Object.keys(text).length > 0 ? { text } : {}
}

/** What the answer shall contain besides the output. */
function encodeIncludes(request: KnownChatRequest, quirks: Quirks): JsonObject {
  const wantsLogprobs = request.logprobs === true
  const include = [
    // Models that do not reason reject it.
    ...(quirks.thinking === 'none' ? [] : ['reasoning.encrypted_content']),
    ...(wantsLogprobs ? ['message.output_text.logprobs'] : []),
  ]
  return {
    ...(include.length > 0 && { include }),
    ...(wantsLogprobs && { top_logprobs: request.top_logprobs ?? 0 }),
  }
}

function encodeStream({ stream, stream_options: options }: KnownChatRequest): JsonObject {
  if (!stream) return {}
  const obfuscation = isObject(options) ? options.include_obfuscation : undefined
  return {
    stream: true,
    ...(typeof obfuscation === 'boolean' && { stream_options: { include_obfuscation: obfuscation } }),
  }
}

/** The body of `POST /responses`. Throws 400 for what the format cannot express. */
function encodeBody(given: ChatRequest, target: Target): JsonObject {
  const { quirks } = target
  const whileReasoning = usesReasoning(given, quirks) ? quirks.dropWhileReasoning : undefined
  const request = omitFields(omitFields(knownRequest(given), quirks.dropFields), whileReasoning)
  refuseUnsupportedFields(request)
  const fields: JsonObject = {
    model: target.upstreamModel,
    input: encodeInput(request.messages, target),
    ...encodeTools(request),
    ...encodeReasoning(request, quirks),
    ...encodeText(request),
    ...encodeLimit(request, target),
    ...encodeIncludes(request, quirks),
    store: request.store === true,
    ...encodeStream(request),
  }
  for (const name of SAME_FIELDS) {
    const value = request[name]
    if (value !== undefined && value !== null) fields[name] = value
  }
  return omitFields(fields, quirks.dropFields)
}

export function responsesHeaders(stream: boolean): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: stream ? 'text/event-stream' : 'application/json',
  }
}

export function chatRequest(request: ChatRequest, target: Target): EncodedRequest {
  return {
    path: '/responses',
    headers: responsesHeaders(request.stream === true),
    body: JSON.stringify(encodeBody(request, target)),
  }
}
