// Tools and tool choice. Source: OpenAI's API reference, "Create a response".
import type { KnownChatRequest, Tool } from '../../../shared/chat.ts'
import { refuseRequest } from '../chat/failure.ts'
import { isObject, type JsonObject } from '../json/json.ts'

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

/** `{ type: "function", function: { name } }` with the name beside the type. */
function encodeReference(choice: unknown): JsonObject | null {
  if (!isObject(choice)) return null
  const named = choice.type === 'custom' ? choice.custom : choice.function
  if (!isObject(named) || typeof named.name !== 'string') return null
  return { type: choice.type === 'custom' ? 'custom' : 'function', name: named.name }
}

function encodeToolChoice(given: NonNullable<KnownChatRequest['tool_choice']>): unknown {
  if (typeof given === 'string') return given
  if (given.type === 'allowed_tools') {
    const allowed = isObject(given.allowed_tools) ? given.allowed_tools : {}
    const tools = Array.isArray(allowed.tools) ? allowed.tools.map(encodeReference) : []
    return {
      type: 'allowed_tools',
      mode: allowed.mode === 'required' ? 'required' : 'auto',
      tools: tools.filter((tool) => tool !== null),
    }
  }
  const reference = encodeReference(given)
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

export function encodeTools(request: KnownChatRequest): JsonObject {
  const tools = [...(request.tools ?? []).map(encodeTool), ...encodeWebSearch(request.web_search_options)]
  if (tools.length === 0) return {}
  const { tool_choice: choice, parallel_tool_calls: parallel } = request
  return {
    tools,
    ...(choice !== undefined && choice !== null && { tool_choice: encodeToolChoice(choice) }),
    ...(typeof parallel === 'boolean' && { parallel_tool_calls: parallel }),
  }
}
