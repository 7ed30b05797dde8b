// Reads tools, tool choice and tool calls for the codecs that translate them.
import type { KnownChatRequest, ToolCall } from '../../../shared/chat.ts'
import { isObject, type JsonObject, parseJson } from '../json/json.ts'
import { refuseRequest } from './refuse-request.ts'

export interface FunctionTool {
  name: string
  description: string | null
  /** JSON Schema of the arguments; null when the function takes none. */
  parameters: JsonObject | null
  strict: boolean
  /** The client's definition, for format-specific extensions. */
  given: JsonObject
}

/** The model decides, no tool, at least one, or the named one. */
type Choice = 'auto' | 'none' | 'required' | { name: string }

export interface ToolUse {
  tools: FunctionTool[]
  /** Null when the client sets none. */
  choice: Choice | null
}

function readTools(request: KnownChatRequest): FunctionTool[] {
  return (request.tools ?? []).map((tool) => {
    if (tool.type === 'custom')
      throw refuseRequest('This provider supports functions, but no custom tools.', 'tools')
    const { name, description, parameters, strict } = tool.function
    return {
      name,
      description: description ?? null,
      parameters: parameters ?? null,
      strict: strict === true,
      given: tool,
    }
  })
}

function readFunctionName(value: unknown): string | null {
  const named = isObject(value) ? value.function : undefined
  return isObject(named) && typeof named.name === 'string' ? named.name : null
}

/** The functions and the tool choice; `allowed_tools` reduces the functions. Throws 400. */
export function readToolUse(request: KnownChatRequest): ToolUse {
  const tools = readTools(request)
  const given = request.tool_choice ?? null
  if (given === null || typeof given === 'string') return { tools, choice: given }
  if (given.type === 'allowed_tools') {
    const allowed = isObject(given.allowed_tools) ? given.allowed_tools : {}
    const names = new Set(Array.isArray(allowed.tools) ? allowed.tools.map(readFunctionName) : [])
    return {
      tools: tools.filter((tool) => names.has(tool.name)),
      choice: allowed.mode === 'required' ? 'required' : 'auto',
    }
  }
  const name = readFunctionName(given)
  if (name === null || !tools.some((tool) => tool.name === name))
    throw refuseRequest('"tool_choice" names a function that is not in "tools".', 'tool_choice')
  return { tools, choice: { name } }
}

/** The name and arguments of a call in the history. Throws 400 for arguments that are not a JSON object. */
export function readCalledFunction(call: ToolCall): { name: string; args: JsonObject } {
  if (!call.function)
    throw refuseRequest('This provider supports functions, but no custom tools.', 'messages')
  const { name, arguments: text } = call.function
  // Clients often store a call without arguments as an empty string.
  const args = text.trim() === '' ? {} : parseJson(text)
  if (!isObject(args))
    throw refuseRequest(`The arguments of the call of "${name}" are not a JSON object.`, 'messages')
  return { name, args }
}
