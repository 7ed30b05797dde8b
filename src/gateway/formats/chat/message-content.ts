// Reads message content for the codecs that translate it.
import type { ContentPart, KnownChatRequest, Message, ToolCall } from '../../../shared/chat.ts'
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
  const given: JsonObject = { ...part }
  const { file, input_audio: audio, refusal } = given
  if (typeof refusal === 'string') return { kind: 'text', text: refusal, part: given }
  if (isObject(file) && typeof file.file_data === 'string') {
    const inline = readDataUrl(file.file_data)
    if (inline) return { kind: 'inline', ...inline, part: given }
  }
  if (isObject(audio) && typeof audio.data === 'string' && typeof audio.format === 'string') {
    const mediaType = AUDIO_TYPES.get(audio.format)
    if (mediaType) return { kind: 'inline', mediaType, base64: audio.data, part: given }
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

/** The text parts, joined by newlines. */
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
  const given = request.tool_choice ?? null
  if (given === null || typeof given === 'string') return { tools, choice: given }
  if (given.type === 'allowed_tools') {
    const allowed = asObject(given.allowed_tools)
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
