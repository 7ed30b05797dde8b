// Vendors extend the chat-completions format with types of their own, which other formats cannot express.
import { type ChatRequest, isKnownPart, type KnownChatRequest, PART_TYPES } from '../../../shared/chat.ts'
import { refuseRequest } from './refuse-request.ts'

/** Formats without image detail are sent the image unchanged. */
const DETAILS = ['low', 'high', 'auto', 'original']
const TOOL_TYPES = ['function', 'custom']
const TOOL_CHOICES = ['none', 'auto', 'required']
const CHOICE_TYPES = ['function', 'custom', 'allowed_tools']
const RESPONSE_FORMATS = ['text', 'json_object', 'json_schema']

interface Unknown {
  what: string
  value: string
  known: readonly string[]
  param: string
}

type Message = ChatRequest['messages'][number]

/** Reasoning in an earlier answer: models of other vendors cannot use it. */
function isReasoning({ role }: Message, { type }: { type: string }): boolean {
  return role === 'assistant' && type === 'thinking'
}

function* unknownParts(message: Message, path: string): Generator<Unknown, void, void> {
  const { content } = message
  for (const [at, part] of Array.isArray(content) ? content.entries() : []) {
    const param = `${path}.content[${at}]`
    if (!isKnownPart(part)) {
      if (isReasoning(message, part)) continue
      yield { what: 'content part', value: part.type, known: PART_TYPES, param: `${param}.type` }
    } else if (part.type === 'image_url') {
      const detail = part.image_url.detail ?? 'auto'
      if (!DETAILS.includes(detail))
        yield { what: 'image detail', value: detail, known: DETAILS, param: `${param}.image_url.detail` }
    }
  }
}

function* unknownTypes(request: ChatRequest): Generator<Unknown, void, void> {
  for (const [at, message] of request.messages.entries()) yield* unknownParts(message, `messages[${at}]`)
  for (const [at, { type }] of (request.tools ?? []).entries())
    if (!TOOL_TYPES.includes(type))
      yield { what: 'tool type', value: type, known: TOOL_TYPES, param: `tools[${at}].type` }
  const choice = request.tool_choice ?? 'auto'
  if (typeof choice !== 'string' && !CHOICE_TYPES.includes(choice.type))
    yield { what: 'tool choice', value: choice.type, known: CHOICE_TYPES, param: 'tool_choice.type' }
  if (typeof choice === 'string' && !TOOL_CHOICES.includes(choice))
    yield { what: 'tool choice', value: choice, known: TOOL_CHOICES, param: 'tool_choice' }
  const format = request.response_format?.type ?? 'text'
  if (!RESPONSE_FORMATS.includes(format))
    yield { what: 'response format', value: format, known: RESPONSE_FORMATS, param: 'response_format.type' }
}

/** Throws 400 with `param` for a type that only some vendors support. Reasoning passes. */
function requireKnownTypes(request: ChatRequest): asserts request is KnownChatRequest {
  for (const { what, value, known, param } of unknownTypes(request)) {
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
