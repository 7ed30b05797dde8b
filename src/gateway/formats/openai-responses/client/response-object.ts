// The `response` object, plain and in stream events. OpenAI's schema requires most of its members, which repeat the request.
import type { ChatUsage } from '../../../../shared/chat-completion.ts'
import type { AnswerContext } from '../../chat/client-codec.ts'
import { isObject, type JsonObject, tokenCount } from '../../json/json.ts'
import { responseId } from './ids.ts'

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
  const given = isObject(text) ? text : {}
  const format = isObject(given.format) ? given.format : { type: 'text' }
  return { ...given, format: completeFormat(format), verbosity: given.verbosity ?? 'medium' }
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
  const reasoning = isObject(body.reasoning) ? body.reasoning : {}
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

const detail = (details: unknown, name: string): number =>
  (isObject(details) ? tokenCount(details[name]) : null) ?? 0

function responseUsage(usage: ChatUsage): JsonObject {
  const { prompt_tokens_details: input, completion_tokens_details: output, cost } = usage
  return {
    input_tokens: usage.prompt_tokens,
    input_tokens_details: {
      cached_tokens: detail(input, 'cached_tokens'),
      cache_write_tokens: detail(input, 'cache_write_tokens'),
    },
    output_tokens: usage.completion_tokens,
    output_tokens_details: { reasoning_tokens: detail(output, 'reasoning_tokens') },
    total_tokens: usage.total_tokens,
    ...(cost !== undefined && { cost }),
  }
}
