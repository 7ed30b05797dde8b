// The `response` object, plain and in stream events. OpenAI's schema requires most of its members, which repeat the request.

import type { ErrorBody, ErrorType } from '../../../../shared/api/errors.ts'
import type { ChatUsage } from '../../../../shared/formats/chat-completion.ts'
import type { AnswerContext } from '../../chat/codec-types.ts'
import { NOT_SUPPORTED } from '../../chat/failure.ts'
import { readUsageDetails } from '../../chat/usage.ts'
import { asObject, isObject, type JsonObject } from '../../json/json.ts'

type Status = 'in_progress' | 'completed' | 'incomplete' | 'failed'

interface State {
  status: Status
  output: readonly JsonObject[]
  usage?: ChatUsage
  /** Why the response is incomplete. */
  reason?: string | null
  error?: JsonObject
}

/** OpenAI's defaults. A member that the request sets to null has its default, too. */
const REQUEST_DEFAULTS = {
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  previous_response_id: null,
  prompt_cache_key: null,
  safety_identifier: null,
  service_tier: 'default',
  store: true,
  temperature: 1,
  tool_choice: 'auto',
  tools: [],
  top_logprobs: 0,
  top_p: 1,
  truncation: 'disabled',
} as const

function textConfig(text: unknown): JsonObject {
  const textOptions = asObject(text)
  const format = isObject(textOptions.format) ? textOptions.format : { type: 'text' }
  return { ...textOptions, format: completeFormat(format), verbosity: textOptions.verbosity ?? 'medium' }
}

function completeFormat(format: JsonObject): JsonObject {
  if (format.type !== 'json_schema') return format
  return { ...format, strict: format.strict ?? false }
}

/** Members that the request may leave out of a function, and that a response has. */
function completeTool(tool: unknown): unknown {
  if (!isObject(tool) || tool.type !== 'function') return tool
  const { description = null, parameters = null, strict = null } = tool
  return { ...tool, description, parameters, strict: strict ?? false }
}

export function responseObject(
  { requestId, model, created, body }: AnswerContext,
  { status, output, usage, reason = null, error }: State,
): JsonObject {
  const echoed = Object.entries(REQUEST_DEFAULTS).map(([name, otherwise]) => [name, body[name] ?? otherwise])
  const members: JsonObject = Object.fromEntries(echoed)
  const reasoning = asObject(body.reasoning)
  return {
    id: responseId(requestId),
    object: 'response',
    created_at: created,
    status,
    background: false,
    completed_at: status === 'completed' ? created : null,
    error: error ?? null,
    incomplete_details: reason === null ? null : { reason },
    model,
    output,
    ...members,
    tools: Array.isArray(members.tools) ? members.tools.map(completeTool) : [],
    reasoning: { effort: null, summary: null, ...reasoning },
    text: textConfig(body.text),
    ...(typeof body.user === 'string' && { user: body.user }),
    usage: usage ? responseUsage(usage) : null,
    access_programs: null,
  }
}

function responseUsage(usage: ChatUsage): JsonObject {
  const { cost } = usage
  const { cached, written, reasoning } = readUsageDetails(usage)
  return {
    input_tokens: usage.prompt_tokens,
    input_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
    output_tokens: usage.completion_tokens,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: usage.total_tokens,
    ...(cost !== undefined && { cost }),
  }
}

const PREFIX = 'req_'

export function responseId(requestId: string): string {
  return `resp_${stripPrefix(requestId)}`
}

/** Null for an id that no response of this gateway has. */
export function parseResponseId(id: string): string | null {
  return /^resp_\w+$/.test(id) ? PREFIX + id.slice('resp_'.length) : null
}

/** OpenAI accepts ids of items only with the prefix of their type, such as `msg_`. */
export function itemId(prefix: string, requestId: string, index: number): string {
  return `${prefix}_${stripPrefix(requestId)}_${index}`
}

function stripPrefix(requestId: string): string {
  return requestId.startsWith(PREFIX) ? requestId.slice(PREFIX.length) : requestId
}

/** Members of chat requests, and those of the Responses API that they were made from. */
const PARAMS: Readonly<Record<string, string>> = {
  messages: 'input',
  max_tokens: 'max_output_tokens',
  max_completion_tokens: 'max_output_tokens',
  reasoning_effort: 'reasoning.effort',
  response_format: 'text.format',
  verbosity: 'text.verbosity',
}

function responseParam(param: string): string {
  const [name = ''] = param.split(/[.[]/, 1)
  return PARAMS[name] ?? param
}

/** OpenAI's code. Clients respond to it with the whole conversation. */
const RESPONSE_NOT_FOUND = 'previous_response_not_found'

/** OpenAI's envelope: `code` and `param` may be null, but not absent. */
export function errorMembers({ message, type, param, code }: ErrorBody) {
  const isUnknown = code === NOT_SUPPORTED && param === 'previous_response_id'
  const named = param === undefined ? null : responseParam(param)
  return { message, type, param: named, code: isUnknown ? RESPONSE_NOT_FOUND : (code ?? null) }
}

export function errorBody(error: ErrorBody): JsonObject {
  return { error: errorMembers(error) }
}

/** OpenAI's codes for a failed response. By them Codex decides whether to retry; it does not after the first two. */
const CODES: Readonly<Partial<Record<ErrorType, string>>> = {
  insufficient_quota: 'insufficient_quota',
  invalid_request_error: 'invalid_prompt',
  rate_limit_exceeded: 'rate_limit_exceeded',
}

export function failureCode({ type }: ErrorBody): string {
  return CODES[type] ?? 'server_error'
}
