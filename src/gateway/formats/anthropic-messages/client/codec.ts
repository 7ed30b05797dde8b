// Clients of Anthropic's Messages API. Source: the types of Anthropic's SDK.

import type { ChatRequest, Tool } from '../../../../shared/formats/chat.ts'
import type { MessagesRequest } from '../../../../shared/formats/messages.ts'
import { invalidRequest } from '../../../platform/errors.ts'
import type { ClientCodec, DecodedRequest } from '../../chat/codec-types.ts'
import { UnsupportedFeatures } from '../../chat/failure.ts'
import { type Effort, THINKING_BUDGETS } from '../../chat/message-content.ts'
import { asList, isGiven, isObject } from '../../json/json.ts'
import { answerBody, errorBody, THREAD } from './answer.ts'
import { cacheControl, decodeConversation } from './decode-messages.ts'
import { MessageStreamWriter } from './stream-writer.ts'

export const anthropicMessagesClient: ClientCodec<MessagesRequest> = {
  decodeRequest,
  answerBody,
  streamWriter: (context) => new MessageStreamWriter(context),
  errorBody,
}

// A request of Anthropic's Messages API as a chat request. What Anthropic documents as optional for the meaning of the
// result is left out: `top_k`, `context_management`, `service_tier`, `speed`, `diagnostics`, and cache control of the whole
// request. Source: the types of Anthropic's SDK, and its documentation of each field.

/** OpenAI's limit for an identifier of the end user; that of Claude Code is longer, and unique at its start. */
const MAX_USER = 64

/** Members of a request that change its result and that no chat request can express. */
const UNSUPPORTED: readonly { name: string; advice?: string }[] = [
  { name: THREAD, advice: 'Send the whole conversation instead.' },
  { name: 'container' },
  { name: 'mcp_servers' },
  { name: 'compaction' },
]

function isRequested(value: unknown): boolean {
  return isGiven(value) && !(Array.isArray(value) && value.length === 0)
}

/** The strongest effort whose budget is not above the client's. */
function toEffort(budget: number): Effort {
  const efforts = ['high', 'medium'] as const
  return efforts.find((effort) => budget >= THINKING_BUDGETS[effort]) ?? 'low'
}

/** Null leaves the effort to the model. */
function decodeEffort({ thinking, output_config: config }: MessagesRequest): string | null {
  if (thinking?.type === 'disabled') return 'none'
  if (config?.effort) return config.effort
  return thinking?.type === 'enabled' ? toEffort(thinking.budget_tokens ?? 0) : null
}

/** Whether OpenAI's strict mode accepts the schema: every object is closed, and all its properties are required. */
function isStrict(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrict)
  if (!isObject(schema)) return true
  const { properties, required, additionalProperties } = schema
  if (isObject(properties)) {
    const names = asList(required)
    if (additionalProperties !== false || Object.keys(properties).some((name) => !names.includes(name)))
      return false
  }
  return Object.values(schema).every(isStrict)
}

function decodeFormat(body: MessagesRequest): Pick<ChatRequest, 'response_format'> {
  const format = body.output_config?.format ?? body.output_format
  if (format?.type !== 'json_schema' || !format.schema) return {}
  const schema = { name: 'answer', schema: format.schema, strict: isStrict(format.schema) }
  return { response_format: { type: 'json_schema', json_schema: schema } }
}

export function decodeRequest(body: MessagesRequest): DecodedRequest {
  const refused = new UnsupportedFeatures(describeUnsupported)
  for (const { name, advice } of UNSUPPORTED)
    if (isRequested(body[name])) refused.add(`"${name}"`, name, advice)
  if (body.max_tokens === 0) refused.add('"max_tokens": 0', 'max_tokens', 'Ask for at least one token.')
  const messages = decodeConversation(body, refused)
  const effort = decodeEffort(body)
  const user = body.metadata?.user_id?.slice(0, MAX_USER)
  const { stop_sequences: stop, temperature, top_p: topP } = body
  const request: ChatRequest = {
    model: body.model,
    messages,
    max_completion_tokens: body.max_tokens,
    ...decodeToolUse(body, refused),
    ...(effort !== null && { reasoning_effort: effort }),
    ...decodeFormat(body),
    ...(typeof temperature === 'number' && { temperature }),
    ...(typeof topP === 'number' && { top_p: topP }),
    ...(stop && stop.length > 0 && { stop }),
    ...(user && { user }),
    ...(body.stream && { stream: true }),
  }
  return { request, unsupported: refused.failure }
}

function describeUnsupported(what: string, advice = 'Use a model of Anthropic, or leave it out.'): string {
  return `Only providers with Anthropic's Messages API support ${what}. ${advice}`
}

type ToolOptions = Pick<MessagesRequest, 'tools' | 'tool_choice'>
type ToolFields = Pick<ChatRequest, 'tools' | 'tool_choice' | 'parallel_tool_calls'>

const CUSTOM: readonly unknown[] = ['custom', undefined, null]

/** Tools that the client defines. Those that Anthropic defines or runs need a model that is trained on them. */
function decodeTools(tools: ToolOptions['tools'], refused: UnsupportedFeatures): Tool[] {
  return (tools ?? []).flatMap((tool, at): Tool[] => {
    const { type, name, description, input_schema: parameters, strict } = tool
    if (!CUSTOM.includes(type)) {
      refused.add(`the tool "${type}"`, `tools[${at}].type`)
      return []
    }
    if (!name)
      throw invalidRequest(`Invalid value for "tools[${at}].name": it is required.`, {
        param: `tools[${at}].name`,
      })
    return [
      {
        type: 'function',
        function: {
          name,
          ...(description && { description }),
          ...(parameters && { parameters }),
          ...(strict && { strict }),
        },
        ...cacheControl(tool),
      },
    ]
  })
}

function decodeChoice(choice: NonNullable<ToolOptions['tool_choice']>): ChatRequest['tool_choice'] {
  switch (choice.type) {
    case 'auto':
    case 'none':
      return choice.type
    case 'any':
      return 'required'
    case 'tool':
      if (choice.name) return { type: 'function', function: { name: choice.name } }
      throw invalidRequest('A tool choice of the type "tool" needs the name of the tool.', {
        param: 'tool_choice.name',
      })
    default:
      throw invalidRequest('"tool_choice.type" must be "auto", "any", "tool" or "none".', {
        param: 'tool_choice.type',
      })
  }
}

function decodeToolUse(
  { tools: offered, tool_choice: choice }: ToolOptions,
  refused: UnsupportedFeatures,
): ToolFields {
  const tools = decodeTools(offered, refused)
  if (tools.length === 0) return {}
  return {
    tools,
    ...(choice && { tool_choice: decodeChoice(choice) }),
    ...(choice?.disable_parallel_tool_use && { parallel_tool_calls: false }),
  }
}
