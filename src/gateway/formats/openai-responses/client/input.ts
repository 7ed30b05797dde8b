// The input of a request as chat messages. Source: OpenAI's API reference, "Create a response".

import type { ChatRequest, ContentPart, ToolCall } from '../../../../shared/formats/chat.ts'
import type { InputItem, ResponseRequest } from '../../../../shared/formats/responses.ts'
import { wordSet } from '../../../../shared/values/text.ts'
import type { UnsupportedFeatures } from '../../chat/failure.ts'
import { simplifyParts } from '../../chat/message-content.ts'
import type { SignedReasoning } from '../../chat/reasoning.ts'
import { isObject, type JsonObject, stringOr } from '../../json/json.ts'
import { type DecodedReasoning, decodeReasoningItem } from './output-items.ts'
import { CLIENT_TOOL_OUTPUTS, clientToolsByCall, encodeCustomInput, type ToolTable } from './tools.ts'

type Messages = ChatRequest['messages']

interface Item {
  item: InputItem
  type: string
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

/** Items for a provider's own work, or that are read elsewhere. The messages after them state the results. */
const SKIPPED = wordSet(`
  additional_tools code_interpreter_call configuration_update file_search_call image_generation_call
  mcp_approval_request mcp_approval_response mcp_call mcp_list_tools program program_output
  web_search_call`)

export function decodeInput(
  request: ResponseRequest,
  tools: ToolTable,
  refused: UnsupportedFeatures,
): Messages {
  const { input, instructions } = request
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : (input ?? [])
  const read = items.map((item, at) => readItem(item, at, refused))
  const conversation = new Conversation(queueOutputs(read, refused))
  conversation.addSystem(decodeContent(instructions, 'instructions', refused))
  for (const item of read) addItem(conversation, item, tools, refused)
  return conversation.end()
}

function readItem(item: InputItem, at: number, refused: UnsupportedFeatures): Item {
  const path = `input[${at}]`
  const { type, role, id } = item
  if (typeof type === 'string') return { item, type, path }
  if (typeof role === 'string') return { item, type: 'message', path }
  if (typeof id === 'string') return { item, type: 'item_reference', path }
  refused.refuse(`"${path}" needs a "type".`, `${path}.type`)
  return { item, type: 'additional_tools', path }
}

function queueOutputs(items: readonly Item[], refused: UnsupportedFeatures): OutputQueues {
  const queues: OutputQueues = new Map()
  const calls = new Set(items.map(({ item, type }) => (OUTPUTS.has(type) ? null : readCallId(item))))
  for (const { item, type, path } of items) {
    if (!OUTPUTS.has(type)) continue
    const id = readCallId(item)
    if (id === null || !calls.has(id)) {
      refused.refuse(`There is no tool call for the output with the call_id "${id ?? ''}".`, path)
      continue
    }
    queues.set(id, [...(queues.get(id) ?? []), decodeOutput(item, type, path, refused)])
  }
  return queues
}

/** Calls of the local shell are answered by the item's id. */
function readCallId({ call_id: callId, id, type }: InputItem): string | null {
  if (typeof callId === 'string') return callId
  return type === 'local_shell_call_output' && typeof id === 'string' ? id : null
}

function decodeOutput(
  item: InputItem,
  type: string,
  path: string,
  refused: UnsupportedFeatures,
): ContentPart[] {
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
  refused: UnsupportedFeatures,
): void {
  const call = readCall(item, type, tools)
  if (call) conversation.addCall(call)
  else if (type === 'message') addMessage(conversation, item, path, refused)
  else if (type === 'reasoning') conversation.addReasoning(decodeReasoningItem(item))
  else if (OUTPUTS.has(type)) conversation.endTurn()
  else if (type === 'item_reference') refuseReference(item, path, refused)
  else if (type === 'compaction_trigger')
    refused.add('compaction by the provider', `${path}.type`, COMPACTION_ADVICE)
  else if (!SKIPPED.has(type)) refused.add(`input of the type "${type}"`, `${path}.type`)
}

function addMessage(
  conversation: Conversation,
  { role, content }: InputItem,
  path: string,
  refused: UnsupportedFeatures,
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
    return functionCall(id, tools.findFlatName(name, namespace), stringOr(item.arguments, '{}'))
  if (type === 'custom_tool_call' && typeof name === 'string') {
    const args = encodeCustomInput(stringOr(item.input, ''))
    return functionCall(id, tools.findFlatName(name, namespace), args)
  }
  const kind = clientToolsByCall.get(type)
  if (kind) return functionCall(id, kind.name, JSON.stringify(item[kind.payload] ?? {}))
  if (type !== 'computer_call') return null
  return functionCall(id, 'computer', JSON.stringify(item.actions ?? item.action ?? {}))
}

function functionCall(id: string, name: string, args: string): ToolCall {
  return { id, type: 'function', function: { name, arguments: args } }
}

function refuseReference({ id }: InputItem, path: string, refused: UnsupportedFeatures): void {
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

// Content of messages and of tool outputs.

const FILE_ADVICE = 'Send the content as "file_data".'

function decodeImage(
  { image_url: url, file_id: id, detail }: JsonObject,
  at: string,
  refused: UnsupportedFeatures,
) {
  if (typeof url !== 'string') {
    refused.add(typeof id === 'string' ? 'stored files' : 'an image without "image_url"', at)
    return []
  }
  if (url === '') {
    refused.refuse(`"${at}.image_url" is empty. Give a URL or a data URL.`, `${at}.image_url`)
    return []
  }
  const image = { url, ...(typeof detail === 'string' && { detail }) }
  return [{ type: 'image_url' as const, image_url: image }]
}

function decodeFile(part: JsonObject, at: string, refused: UnsupportedFeatures): ContentPart[] {
  const { file_data: data, file_url: url, filename } = part
  if (typeof data !== 'string') {
    const what = typeof url === 'string' ? 'files by URL' : 'stored files'
    refused.add(what, at, FILE_ADVICE)
    return []
  }
  const name = stringOr(filename, 'file')
  return [{ type: 'file', file: { filename: name, file_data: asDataUrl(data, name) } }]
}

const MEDIA_TYPES: Readonly<Record<string, string>> = { pdf: 'application/pdf', txt: 'text/plain' }

/** Some clients send the base64 alone. */
function asDataUrl(data: string, name: string): string {
  if (/^data:/i.test(data)) return data
  const extension = name.split('.').at(-1)?.toLowerCase() ?? ''
  return `data:${MEDIA_TYPES[extension] ?? 'application/pdf'};base64,${data}`
}

function decodePart(part: unknown, at: string, refused: UnsupportedFeatures): ContentPart[] {
  if (!isObject(part)) {
    if (typeof part === 'string') return [{ type: 'text', text: part }]
    refused.refuse(`"${at}" is not a content part.`, at)
    return []
  }
  switch (part.type) {
    case 'input_text':
    case 'output_text':
    case 'text':
    case 'summary_text':
    case 'reasoning_text':
      return [{ type: 'text', text: stringOr(part.text, '') }]
    case 'refusal':
      return [{ type: 'refusal', refusal: stringOr(part.refusal, '') }]
    case 'input_image':
    case 'computer_screenshot':
      return decodeImage(part, at, refused)
    case 'input_file':
      return decodeFile(part, at, refused)
    case 'input_audio':
      return [{ type: 'input_audio', input_audio: part.input_audio }]
    default:
      refused.add(`content of the type "${String(part.type)}"`, `${at}.type`)
      return []
  }
}

/** `path`: that of the content in the request. */
function decodeContent(content: unknown, path: string, refused: UnsupportedFeatures): ContentPart[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  if (!Array.isArray(content)) {
    if (content !== null && content !== undefined) refused.refuse(`"${path}" must be a text or a list.`, path)
    return []
  }
  return content.flatMap((part, at) => decodePart(part, `${path}[${at}]`, refused))
}

/** The texts; media have none. */
function joinTexts(parts: readonly ContentPart[], separator: string): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(separator)
}

type Message = ChatRequest['messages'][number]

/** The model's output in one turn: several items of the Responses API are one message. */
interface Turn {
  texts: string[]
  refusals: string[]
  calls: ToolCall[]
  reasoning: string[]
  signed: SignedReasoning[]
  /** Signed reasoning whose following item is not known yet. */
  unplaced: SignedReasoning[]
}

/** Outputs by call id, in order: some servers use the same ids again in later turns. */
type OutputQueues = Map<string, ContentPart[][]>

/** Builds chat messages: outputs of tools follow the message with their calls, as servers require. */
class Conversation {
  readonly #messages: Message[] = []
  readonly #outputs: OutputQueues
  #turn: Turn | null = null

  constructor(outputs: OutputQueues) {
    this.#outputs = outputs
  }

  /** Successive system messages become one: templates of local models often accept no more. */
  addSystem(parts: ContentPart[]): void {
    this.endTurn()
    const text = joinTexts(parts, '\n')
    if (text === '') return
    const last = this.#messages.at(-1)
    if (last?.role === 'system' && typeof last.content === 'string') last.content += `\n\n${text}`
    else this.#messages.push({ role: 'system', content: text })
  }

  addUser(parts: ContentPart[]): void {
    this.endTurn()
    if (parts.length > 0) this.#messages.push({ role: 'user', content: simplifyParts(parts) })
  }

  addAssistant(parts: readonly ContentPart[]): void {
    const turn = this.#openTurn()
    const text = joinTexts(parts, '')
    if (text !== '') turn.texts.push(text)
    for (const part of parts)
      if (part.type === 'refusal' && typeof part.refusal === 'string') turn.refusals.push(part.refusal)
    turn.signed.push(...turn.unplaced.splice(0))
  }

  addReasoning({ text, signed }: DecodedReasoning): void {
    const turn = this.#openTurn()
    if (text !== '') turn.reasoning.push(text)
    if (signed) turn.unplaced.push(signed)
  }

  addCall(call: ToolCall): void {
    const turn = this.#openTurn()
    turn.signed.push(...turn.unplaced.splice(0).map((entry) => ({ ...entry, call_id: call.id })))
    turn.calls.push(call)
  }

  end(): Message[] {
    this.endTurn()
    return this.#messages
  }

  #openTurn(): Turn {
    this.#turn ??= { texts: [], refusals: [], calls: [], reasoning: [], signed: [], unplaced: [] }
    return this.#turn
  }

  /** Called when the model has seen the outputs of its turn's calls. */
  endTurn(): void {
    const turn = this.#turn
    if (!turn) return
    this.#turn = null
    const { texts, refusals, calls, reasoning } = turn
    const signed = [...turn.signed, ...turn.unplaced]
    const content = texts.join('\n\n')
    // Reasoning alone is an answer that was interrupted: no server accepts a message without content.
    if (content === '' && refusals.length === 0 && calls.length === 0) return
    this.#messages.push({
      role: 'assistant',
      content: refusals.length > 0 ? withRefusals(content, refusals) : content === '' ? null : content,
      ...(calls.length > 0 && { tool_calls: calls }),
      ...(reasoning.length > 0 && { reasoning_content: reasoning.join('\n\n') }),
      ...(signed.length > 0 && { signed_reasoning: signed }),
    })
    this.#addOutputs(calls)
  }

  #addOutputs(calls: readonly ToolCall[]): void {
    const media: ContentPart[] = []
    for (const { id } of calls) {
      const parts = this.#outputs.get(id)?.shift()
      if (!parts) continue
      const others = parts.filter(({ type }) => type !== 'text')
      const text = joinTexts(parts, '\n') || (others.length > 0 ? 'The output is in the next message.' : '')
      this.#messages.push({ role: 'tool', tool_call_id: id, content: text })
      // Tool messages of the chat format are text.
      if (others.length > 0)
        media.push({ type: 'text', text: `The output of the tool call ${id}:` }, ...others)
    }
    if (media.length > 0) this.#messages.push({ role: 'user', content: media })
  }
}

function withRefusals(content: string, refusals: readonly string[]): ContentPart[] {
  const texts: ContentPart[] = content === '' ? [] : [{ type: 'text', text: content }]
  return [...texts, ...refusals.map((refusal): ContentPart => ({ type: 'refusal', refusal }))]
}
