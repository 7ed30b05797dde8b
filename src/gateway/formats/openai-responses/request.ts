// Source: OpenAI's API reference, "Create a response". Only the fields named here are forwarded.

import {
  type ChatRequest,
  type KnownChatRequest,
  outputLimit,
  type Tool,
} from '../../../shared/formats/chat.ts'
import { splitWords } from '../../../shared/values/text.ts'
import {
  type EncodedRequest,
  encodeCall,
  limitOutput,
  type Quirks,
  type Target,
} from '../chat/codec-types.ts'
import { refuseRequest } from '../chat/failure.ts'
import {
  isEmptyList,
  knownRequest,
  LEGACY_AND_AUDIO,
  omitFields,
  refuseFields,
  type UnsupportedFields,
  usesReasoning,
} from '../chat/message-content.ts'
import { asObject, isGiven, isObject, type JsonObject } from '../json/json.ts'
import { nameCache } from '../openai-chat/request.ts'
import { encodeInput } from './input-items.ts'

/** A smaller limit is rejected (`integer_below_min_value`). */
export const MIN_OUTPUT_TOKENS = 16

/** Fields that both of OpenAI's APIs have. */
const SAME_FIELDS = splitWords(`
  metadata moderation prompt_cache_key prompt_cache_options prompt_cache_retention safety_identifier
  service_tier temperature top_p user`)

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
  // The members of `json_schema` are next to the type.
  return { format: format.type === 'json_schema' ? { ...format.json_schema, type: format.type } : format }
}

function encodeText(request: KnownChatRequest): JsonObject {
  const text = {
    ...encodeFormat(request.response_format),
    ...(typeof request.verbosity === 'string' && { verbosity: request.verbosity }),
  }
  return Object.keys(text).length > 0 ? { text } : {}
}

/** The contents of the answer in addition to the output. */
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
function encodeBody(chatRequest: ChatRequest, target: Target): JsonObject {
  const { quirks } = target
  const whileReasoning = usesReasoning(chatRequest, quirks) ? quirks.dropWhileReasoning : undefined
  const requestWithCache = nameCache(knownRequest(chatRequest), target)
  const request = omitFields(omitFields(requestWithCache, quirks.dropFields), whileReasoning)
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
    if (isGiven(value)) fields[name] = value
  }
  return omitFields(fields, quirks.dropFields)
}

export function chatRequest(request: ChatRequest, target: Target): EncodedRequest {
  return encodeCall('/responses', JSON.stringify(encodeBody(request, target)), request.stream === true)
}

// Tools and tool choice. Source: OpenAI's API reference, "Create a response".

/** The schema of a function that takes no arguments. */
const NO_ARGUMENTS = { type: 'object', properties: {}, required: [], additionalProperties: false }

function encodeCustomFormat(format: unknown): JsonObject {
  if (!isObject(format)) return {}
  const { type, grammar } = format
  return { format: isObject(grammar) ? { ...grammar, type } : format }
}

function encodeTool(tool: Tool): JsonObject {
  if (tool.type === 'custom') {
    const { name, description, format } = tool.custom
    return {
      type: 'custom',
      name,
      ...(typeof description === 'string' && { description }),
      ...encodeCustomFormat(format),
    }
  }
  const { name, description, parameters, strict } = tool.function
  return {
    type: 'function',
    name,
    ...(typeof description === 'string' && { description }),
    parameters: parameters ?? NO_ARGUMENTS,
    // Here the default is true; in chat completions it is false.
    strict: strict === true,
  }
}

/** `{ type: "function", function: { name } }` with the name next to the type. */
function encodeReference(choice: unknown): JsonObject | null {
  if (!isObject(choice)) return null
  const named = choice.type === 'custom' ? choice.custom : choice.function
  if (!isObject(named) || typeof named.name !== 'string') return null
  return { type: choice.type === 'custom' ? 'custom' : 'function', name: named.name }
}

function encodeToolChoice(choice: NonNullable<KnownChatRequest['tool_choice']>): unknown {
  if (typeof choice === 'string') return choice
  if (choice.type === 'allowed_tools') {
    const allowed = asObject(choice.allowed_tools)
    const tools = Array.isArray(allowed.tools) ? allowed.tools.map(encodeReference) : []
    return {
      type: 'allowed_tools',
      mode: allowed.mode === 'required' ? 'required' : 'auto',
      tools: tools.filter((tool) => tool !== null),
    }
  }
  const reference = encodeReference(choice)
  if (!reference) throw refuseRequest('"tool_choice" names no tool.', 'tool_choice')
  return reference
}

/** Chat completions searches the web by an option; here that is a tool. */
function encodeWebSearch(options: unknown): JsonObject[] {
  if (!isObject(options)) return []
  const { search_context_size: size, user_location: location } = options
  const place = isObject(location) && isObject(location.approximate) ? location.approximate : null
  return [
    {
      type: 'web_search',
      ...(typeof size === 'string' && { search_context_size: size }),
      ...(place && { user_location: { ...place, type: 'approximate' } }),
    },
  ]
}

function encodeTools(request: KnownChatRequest): JsonObject {
  const tools = [...(request.tools ?? []).map(encodeTool), ...encodeWebSearch(request.web_search_options)]
  if (tools.length === 0) return {}
  const { tool_choice: choice, parallel_tool_calls: parallel } = request
  return {
    tools,
    ...(isGiven(choice) && { tool_choice: encodeToolChoice(choice) }),
    ...(typeof parallel === 'boolean' && { parallel_tool_calls: parallel }),
  }
}

// `seed` (best effort, deprecated) and `prediction` (only faster) are omitted; a request with another field that the Responses API
// lacks would be served differently than the client wants. Source: OpenAI's guide "Migrate to the Responses API".

const FIELDS: UnsupportedFields = {
  ...LEGACY_AND_AUDIO,
  stop: isEmptyList,
  presence_penalty: (value) => value === 0,
  frequency_penalty: (value) => value === 0,
  logit_bias: (value) => isObject(value) && Object.keys(value).length === 0,
}

/** Throws 400 with `param` for a field that cannot be sent. */
function refuseUnsupportedFields(request: KnownChatRequest): void {
  refuseFields(request, FIELDS, 'The Responses API, through which this model is called,')
}
