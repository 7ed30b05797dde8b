// Reads message content for the codecs that translate it, and refuses what other formats cannot express.
import {
  type ChatRequest,
  type ContentPart,
  isKnownPart,
  type KnownChatRequest,
  type Message,
  PART_TYPES,
  type ToolCall,
} from '../../../shared/formats/chat.ts'
import { asObject, isGiven, isObject, type JsonObject, parseJson } from '../json/json.ts'
import { refuseRequest } from './failure.ts'

/** A content part in a form that every format can express. */
export type Piece =
  | { kind: 'text'; text: string; part: JsonObject }
  | { kind: 'inline'; mediaType: string; base64: string; part: JsonObject }
  | { kind: 'link'; url: string; part: JsonObject }

interface Inline {
  mediaType: string
  base64: string
}

/** The content of `data:image/png;base64,…` (RFC 2397); null for other URLs. Throws 400 for a data URL without base64. */
function readDataUrl(url: string): Inline | null {
  if (!/^data:/i.test(url)) return null
  const comma = url.indexOf(',')
  const [mediaType = '', ...parameters] = url.slice('data:'.length, comma).toLowerCase().split(';')
  if (comma === -1 || mediaType === '' || parameters.at(-1) !== 'base64')
    throw refuseRequest('A data URL must name its media type and be in base64.', 'messages')
  return { mediaType, base64: url.slice(comma + 1) }
}

const AUDIO_TYPES: ReadonlyMap<string, string> = new Map([
  ['wav', 'audio/wav'],
  ['mp3', 'audio/mpeg'],
])

function readOtherPart(part: ContentPart): Piece | null {
  const fields: JsonObject = { ...part }
  const { file, input_audio: audio, refusal } = fields
  if (typeof refusal === 'string') return { kind: 'text', text: refusal, part: fields }
  if (isObject(file) && typeof file.file_data === 'string') {
    const inline = readDataUrl(file.file_data)
    if (inline) return { kind: 'inline', ...inline, part: fields }
  }
  if (isObject(audio) && typeof audio.data === 'string' && typeof audio.format === 'string') {
    const mediaType = AUDIO_TYPES.get(audio.format)
    if (mediaType) return { kind: 'inline', mediaType, base64: audio.data, part: fields }
  }
  return null
}

function readPiece(part: ContentPart): Piece {
  switch (part.type) {
    case 'text':
      return { kind: 'text', text: part.text, part }
    case 'image_url': {
      const { url } = part.image_url
      const inline = readDataUrl(url)
      if (inline) return { kind: 'inline', ...inline, part }
      if (/^https?:/i.test(url)) return { kind: 'link', url, part }
      throw refuseRequest('An image must be a data URL or an https URL.', 'messages')
    }
    default: {
      const piece = readOtherPart(part)
      if (piece) return piece
      throw refuseRequest(
        `This provider does not accept this kind of "${part.type}" content part.`,
        'messages',
      )
    }
  }
}

/** The parts of a message without empty texts, which no other format accepts. */
export function readPieces(content: Message['content']): Piece[] {
  if (!isGiven(content)) return []
  const pieces: Piece[] =
    typeof content === 'string' ? [{ kind: 'text', text: content, part: {} }] : content.map(readPiece)
  return pieces.filter((piece) => piece.kind !== 'text' || piece.text !== '')
}

/** A single text without cache control as a string, which every server accepts; an empty one for no parts. */
export function simplifyParts(parts: ContentPart[]): string | ContentPart[] {
  const [first] = parts
  if (!first) return ''
  return parts.length === 1 && first.type === 'text' && !('cache_control' in first) ? first.text : parts
}

export function joinTexts(content: Message['content']): string {
  return readPieces(content)
    .flatMap((piece) => (piece.kind === 'text' ? [piece.text] : []))
    .join('\n')
}

export function omitFields<Request extends JsonObject>(
  request: Request,
  fields: readonly string[] | undefined,
): Request {
  if (!fields) return request
  const copy = { ...request }
  for (const field of fields) delete copy[field]
  return copy
}

// Reads tools, tool choice and tool calls for the codecs that translate them.

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
  const choice = request.tool_choice ?? null
  if (choice === null || typeof choice === 'string') return { tools, choice }
  if (choice.type === 'allowed_tools') {
    const allowed = asObject(choice.allowed_tools)
    const names = new Set(Array.isArray(allowed.tools) ? allowed.tools.map(readFunctionName) : [])
    return {
      tools: tools.filter((tool) => names.has(tool.name)),
      choice: allowed.mode === 'required' ? 'required' : 'auto',
    }
  }
  const name = readFunctionName(choice)
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

// Instructions, which chat completions accept anywhere in a conversation.

export const isInstruction = ({ role }: { role: string }): boolean =>
  role === 'system' || role === 'developer'

/**
 * The instructions before a conversation, and the conversation with later ones as marked texts of the user. They stay where
 * they are: in front of the conversation they would change the beginning of the prompt, and with it what is cached.
 */
export function separateInstructions<Given extends { role: string }>(
  messages: readonly Given[],
  readText: (message: Given) => string,
): { instructions: Given[]; conversation: (Given | { role: 'user'; content: string })[] } {
  const first = messages.findIndex((message) => !isInstruction(message))
  const count = first === -1 ? messages.length : first
  const conversation: (Given | { role: 'user'; content: string })[] = []
  for (const message of messages.slice(count)) {
    const text = isInstruction(message) ? readText(message) : null
    if (text === null) conversation.push(message)
    else if (text !== '') conversation.push({ role: 'user', content: `<system>\n${text}\n</system>` })
  }
  return { instructions: messages.slice(0, count), conversation }
}

// Vendors extend the chat-completions format with types of their own, which other formats cannot express.

/** Formats without image detail are sent the image unchanged. */
const DETAILS = ['low', 'high', 'auto', 'original']
const TOOL_TYPES = ['function', 'custom']
const TOOL_CHOICES = ['none', 'auto', 'required']
const CHOICE_TYPES = ['function', 'custom', 'allowed_tools']
const RESPONSE_FORMATS = ['text', 'json_object', 'json_schema']

interface UnknownType {
  what: string
  value: string
  supported: readonly string[]
  param: string
}

/** As the client sent it, with parts of unknown types. */
type ClientMessage = ChatRequest['messages'][number]

/** Reasoning in an earlier answer: models of other vendors cannot use it. */
function isReasoning({ role }: ClientMessage, { type }: { type: string }): boolean {
  return role === 'assistant' && type === 'thinking'
}

function* unknownParts(message: ClientMessage, path: string): Generator<UnknownType, void, void> {
  const { content } = message
  for (const [at, part] of Array.isArray(content) ? content.entries() : []) {
    const param = `${path}.content[${at}]`
    if (!isKnownPart(part)) {
      if (isReasoning(message, part)) continue
      yield { what: 'content part', value: part.type, supported: PART_TYPES, param: `${param}.type` }
    } else if (part.type === 'image_url') {
      const detail = part.image_url.detail ?? 'auto'
      if (!DETAILS.includes(detail))
        yield { what: 'image detail', value: detail, supported: DETAILS, param: `${param}.image_url.detail` }
    }
  }
}

function* unknownTypes(request: ChatRequest): Generator<UnknownType, void, void> {
  for (const [at, message] of request.messages.entries()) yield* unknownParts(message, `messages[${at}]`)
  for (const [at, { type }] of (request.tools ?? []).entries())
    if (!TOOL_TYPES.includes(type))
      yield { what: 'tool type', value: type, supported: TOOL_TYPES, param: `tools[${at}].type` }
  const choice = request.tool_choice ?? 'auto'
  if (typeof choice !== 'string' && !CHOICE_TYPES.includes(choice.type))
    yield { what: 'tool choice', value: choice.type, supported: CHOICE_TYPES, param: 'tool_choice.type' }
  if (typeof choice === 'string' && !TOOL_CHOICES.includes(choice))
    yield { what: 'tool choice', value: choice, supported: TOOL_CHOICES, param: 'tool_choice' }
  const format = request.response_format?.type ?? 'text'
  if (!RESPONSE_FORMATS.includes(format))
    yield {
      what: 'response format',
      value: format,
      supported: RESPONSE_FORMATS,
      param: 'response_format.type',
    }
}

/** Throws 400 with `param` for a type that only some vendors support. Reasoning passes. */
function requireKnownTypes(request: ChatRequest): asserts request is KnownChatRequest {
  for (const { what, value, supported: known, param } of unknownTypes(request)) {
    const shown = value.length > 40 ? `${value.slice(0, 40)}…` : value
    throw refuseRequest(`This provider has no ${what} "${shown}": use one of ${known.join(', ')}.`, param)
  }
}

/** The request without what other formats cannot express. Throws 400 with `param` for a type that cannot be omitted. */
export function knownRequest(request: ChatRequest): KnownChatRequest {
  requireKnownTypes(request)
  const messages = request.messages.map((message) =>
    Array.isArray(message.content)
      ? { ...message, content: message.content.filter((part) => !isReasoning(message, part)) }
      : message,
  )
  return { ...request, messages }
}

// Fields of chat completions that ask for an answer of another kind, and that other API formats lack. Those that only tune
// an answer are omitted.

/** Fields, and whether a value asks for what happens without the field. */
export type UnsupportedFields = Readonly<Record<string, (value: unknown) => boolean>>

export const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0

/** The deprecated functions, whose calls have no id, and audio as output. */
export const LEGACY_AND_AUDIO: UnsupportedFields = {
  audio: () => false,
  modalities: (value) => Array.isArray(value) && value.every((modality) => modality === 'text'),
  functions: isEmptyList,
  function_call: (value) => value === 'none' || value === 'auto',
}

/** Alternatives, by the field that is refused. */
const ALTERNATIVES: Readonly<Record<string, string>> = {
  functions: 'send "tools"',
  function_call: 'send "tool_choice"',
}

/** Throws 400 with `param` for a field that asks for something. `who` names the provider at the start of a sentence. */
export function refuseFields(request: KnownChatRequest, fields: UnsupportedFields, who: string): void {
  for (const [name, isDefault] of Object.entries(fields)) {
    const value = request[name]
    if (!isGiven(value) || isDefault(value)) continue
    throw refuseRequest(`${who} has no "${name}": ${ALTERNATIVES[name] ?? 'leave it out'}.`, name)
  }
}

/** Weakest first. Source: OpenAI's API reference, `reasoning_effort`. */
export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
export type Effort = (typeof EFFORTS)[number]

/** How the reasoning effort of a model is set: by level, by a token budget, or not at all. */
export type Thinking = 'level' | 'budget' | 'none'

function isEffort(value: string): value is Effort {
  return EFFORTS.some((effort) => effort === value)
}

/** The effort that the client requests, or null for the model's default. Throws 400 for an unknown one. */
export function readEffort(
  request: ChatRequest,
  { thinking = 'level' }: { readonly thinking?: Thinking },
): Effort | null {
  const value = request.reasoning_effort
  if (!isGiven(value) || thinking === 'none') return null
  if (isEffort(value)) return value
  throw refuseRequest(
    `"${value.slice(0, 40)}" is not a reasoning effort: use one of ${EFFORTS.join(', ')}.`,
    'reasoning_effort',
  )
}

/** The effort if it is supported, else the next weaker one, else the weakest. */
export function nearestEffort<Known extends Effort>(
  effort: Effort,
  supported: readonly [Known, ...Known[]],
): Known {
  const rank = EFFORTS.indexOf(effort)
  return supported.reduce((best, level) => (EFFORTS.indexOf(level) <= rank ? level : best), supported[0])
}

/** Token budgets for reasoning: those of Google's OpenAI-compatible endpoint. */
export const THINKING_BUDGETS: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 1_024,
  low: 1_024,
  medium: 8_192,
  high: 24_576,
  xhigh: 24_576,
  max: 32_768,
}

/** Whether the model reasons on this request, as far as the request shows. */
export function usesReasoning(
  { reasoning_effort: effort }: ChatRequest,
  { reasoningOffByDefault }: { readonly reasoningOffByDefault?: true },
): boolean {
  return !isGiven(effort) ? !reasoningOffByDefault : effort !== 'none'
}
