import type { ChatRequest, ContentPart, ToolCall } from '../../../../shared/chat.ts'
import type { InputItem, ResponseRequest } from '../../../../shared/responses.ts'
import type { Untranslatable } from '../../chat/untranslatable.ts'
import { isObject, stringOr } from '../../json/json.ts'
import { CLIENT_TOOL_OUTPUTS, clientToolOfCall, encodeCustomInput } from './client-tools.ts'
import { decodeContent } from './content.ts'
import { Conversation, type OutputQueues } from './conversation.ts'
import { decodeReasoningItem } from './reasoning.ts'
import type { ToolTable } from './tools.ts'

type Messages = ChatRequest['messages']

interface Item {
  item: InputItem
  type: string
  /** Its path in the request. */
  path: string
}

const OUTPUTS: ReadonlySet<string> = new Set([
  'function_call_output',
  'custom_tool_call_output',
  'computer_call_output',
  ...CLIENT_TOOL_OUTPUTS,
])

/** Codex asks for it wherever it takes the provider for OpenAI's own; a provider of another name it asks for a summary. */
const COMPACTION_ADVICE =
  'Set up Tollgate as a provider of its own in Codex, which then compacts by itself: tollgate setup codex, or start it by: tollgate run -- codex'

/** What a provider did by itself, or what is read elsewhere. The messages after it state the results. */
const SKIPPED: ReadonlySet<string> = new Set([
  'additional_tools',
  'code_interpreter_call',
  'configuration_update',
  'file_search_call',
  'image_generation_call',
  'mcp_approval_request',
  'mcp_approval_response',
  'mcp_call',
  'mcp_list_tools',
  'program',
  'program_output',
  'web_search_call',
])

/** The chat messages of `instructions` and `input`. */
export function decodeInput(request: ResponseRequest, tools: ToolTable, refused: Untranslatable): Messages {
  const { input, instructions } = request
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : (input ?? [])
  const read = items.map((item, at) => readItem(item, at, refused))
  const conversation = new Conversation(queueOutputs(read, refused))
  conversation.addSystem(decodeContent(instructions, 'instructions', refused))
  for (const item of read) addItem(conversation, item, tools, refused)
  return conversation.end()
}

function readItem(item: InputItem, at: number, refused: Untranslatable): Item {
  const path = `input[${at}]`
  const { type, role, id } = item
  if (typeof type === 'string') return { item, type, path }
  if (typeof role === 'string') return { item, type: 'message', path }
  if (typeof id === 'string') return { item, type: 'item_reference', path }
  refused.refuse(`"${path}" needs a "type".`, `${path}.type`)
  return { item, type: 'additional_tools', path }
}

function queueOutputs(items: readonly Item[], refused: Untranslatable): OutputQueues {
  const queues: OutputQueues = new Map()
  const calls = new Set(items.map(({ item, type }) => (OUTPUTS.has(type) ? null : callIdOf(item))))
  for (const { item, type, path } of items) {
    if (!OUTPUTS.has(type)) continue
    const id = callIdOf(item)
    if (id === null || !calls.has(id)) {
      refused.refuse(`There is no tool call for the output with the call_id "${id ?? ''}".`, path)
      continue
    }
    queues.set(id, [...(queues.get(id) ?? []), decodeOutput(item, type, path, refused)])
  }
  return queues
}

/** Calls of the local shell are answered by the item's id. */
function callIdOf({ call_id: callId, id, type }: InputItem): string | null {
  if (typeof callId === 'string') return callId
  return type === 'local_shell_call_output' && typeof id === 'string' ? id : null
}

function decodeOutput(item: InputItem, type: string, path: string, refused: Untranslatable): ContentPart[] {
  const { output } = item
  if (type === 'tool_search_output') return jsonText(item.tools)
  if (type === 'apply_patch_call_output') return jsonText({ status: item.status, output })
  if (type === 'shell_call_output') return jsonText(output)
  if (type === 'computer_call_output') return decodeContent([output], `${path}.output`, refused)
  return decodeContent(output, `${path}.output`, refused)
}

function jsonText(value: unknown): ContentPart[] {
  return [{ type: 'text', text: JSON.stringify(value ?? null) }]
}

function addItem(
  conversation: Conversation,
  { item, type, path }: Item,
  tools: ToolTable,
  refused: Untranslatable,
): void {
  const call = readCall(item, type, tools)
  if (call) conversation.addCall(call)
  else if (type === 'message') addMessage(conversation, item, path, refused)
  else if (type === 'reasoning') conversation.addReasoning(decodeReasoningItem(item))
  else if (OUTPUTS.has(type)) conversation.endTurn()
  else if (type === 'item_reference') refuseReference(item, path, refused)
  else if (type === 'compaction_trigger')
    refused.add('compaction by the provider', `${path}.type`, { advice: COMPACTION_ADVICE })
  else if (!SKIPPED.has(type)) refused.add(`input of the type "${type}"`, `${path}.type`)
}

function addMessage(
  conversation: Conversation,
  { role, content }: InputItem,
  path: string,
  refused: Untranslatable,
): void {
  const parts = decodeContent(content, `${path}.content`, refused)
  switch (role) {
    case 'system':
    case 'developer':
      conversation.addSystem(parts)
      break
    case 'user':
      conversation.addUser(parts)
      break
    case 'assistant':
      conversation.addAssistant(parts)
      break
    default:
      refused.refuse(`"${path}.role" must be user, assistant, system or developer.`, `${path}.role`)
  }
}

/** Null for an item that is no call of a tool. */
function readCall(item: InputItem, type: string, tools: ToolTable): ToolCall | null {
  const id = stringOr(item.call_id, stringOr(item.id, ''))
  const { name } = item
  const namespace = stringOr(item.namespace, null)
  if (type === 'function_call' && typeof name === 'string')
    return functionCall(id, tools.flatNameOf(name, namespace), stringOr(item.arguments, '{}'))
  if (type === 'custom_tool_call' && typeof name === 'string') {
    const args = encodeCustomInput(stringOr(item.input, ''))
    return functionCall(id, tools.flatNameOf(name, namespace), args)
  }
  const kind = clientToolOfCall.get(type)
  if (kind) return functionCall(id, kind.name, JSON.stringify(item[kind.payload] ?? {}))
  if (type !== 'computer_call') return null
  return functionCall(id, 'computer', JSON.stringify(item.actions ?? item.action ?? {}))
}

function functionCall(id: string, name: string, args: string): ToolCall {
  return { id, type: 'function', function: { name, arguments: args } }
}

function refuseReference({ id }: InputItem, path: string, refused: Untranslatable): void {
  refused.refuse(
    `The item "${id ?? ''}" is not known here any more. Set "store" to false, so that the client sends whole items instead of references.`,
    `${path}.id`,
  )
}

/** The last settings that the conversation itself makes; they take precedence over those of the request. */
export function lastUpdate({ input }: ResponseRequest, name: 'reasoning' | 'text'): unknown {
  if (!Array.isArray(input)) return undefined
  return input.findLast((item) => item.type === 'configuration_update' && isObject(item[name]))?.[name]
}
