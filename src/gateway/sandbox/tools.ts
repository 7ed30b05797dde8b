// An agent runs the tools that a model calls, often without confirmation. The sandbox does not understand a prompt, so it
// calls a tool only where the client's own code requires it (`tool_choice`), or on the command `[[sandbox:tool NAME]]`,
// which no one writes by accident. The arguments depend on the tool's schema alone.
import type { KnownChatRequest as ChatRequest, Tool, ToolCall } from '../../shared/chat.ts'
import { isObject } from '../formats/json/json.ts'
import { createInstance, INERT_TEXT } from './json-value.ts'
import { hashText } from './prose.ts'

function namesIn(choice: Record<string, unknown>): string[] {
  const member = choice.function ?? choice.custom
  if (isObject(member) && typeof member.name === 'string') return [member.name]
  const allowed = isObject(choice.allowed_tools) ? choice.allowed_tools.tools : undefined
  return Array.isArray(allowed) ? allowed.filter(isObject).flatMap(namesIn) : []
}

interface Choice {
  /** A tool must be called, regardless of the message. */
  forced: boolean
  tools: readonly Tool[]
}

function readChoice(request: ChatRequest): Choice {
  const tools = request.tools ?? []
  const choice = request.tool_choice ?? 'auto'
  if (choice === 'none') return { forced: false, tools: [] }
  if (choice === 'auto') return { forced: false, tools }
  if (choice === 'required') return { forced: true, tools }
  const names = namesIn(choice)
  const allowed = choice.allowed_tools
  const mayAnswer = choice.type === 'allowed_tools' && isObject(allowed) && allowed.mode !== 'required'
  return { forced: !mayAnswer, tools: tools.filter((tool) => names.includes(nameOf(tool))) }
}

function nameOf(tool: Tool): string {
  return tool.type === 'function' ? tool.function.name : tool.custom.name
}

/** The number of answers with tool calls since the last user message. */
function stepsDone({ messages }: ChatRequest): number {
  const question = messages.findLastIndex(({ role }) => role === 'user')
  return messages
    .slice(question + 1)
    .filter((message) => message.role === 'assistant' && (message.tool_calls?.length ?? 0) > 0).length
}

/**
 * The call that the sandbox makes in answer to the request, if any. `named` are the tools that the last user message
 * commands, one for each step of an agent's loop.
 */
export function createToolCall(request: ChatRequest, named: readonly string[]): ToolCall | null {
  const { forced, tools } = readChoice(request)
  const step = stepsDone(request)
  const commanded = request.messages.at(-1)?.role === 'assistant' ? undefined : named[step]
  const tool = tools.find((one) => nameOf(one) === commanded) ?? (forced ? tools[0] : undefined)
  if (!tool) return null
  const name = nameOf(tool)
  const id = `call_${hashText(`${name} ${request.messages.length}`).toString(36)}`
  if (tool.type === 'custom') return { id, type: 'custom', custom: { name, input: INERT_TEXT } }
  const value = createInstance(tool.function.parameters ?? { type: 'object' })
  return { id, type: 'function', function: { name, arguments: JSON.stringify(isObject(value) ? value : {}) } }
}
