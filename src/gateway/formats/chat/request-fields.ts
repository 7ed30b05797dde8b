// Vendors extend the chat-completions format with types of their own, which other formats cannot express.
import { type ChatRequest, isKnownPart, type KnownChatRequest, PART_TYPES } from '../../../shared/chat.ts'
import { isGiven } from '../json/json.ts'
import { refuseRequest } from './failure.ts'

/** Formats without image detail are sent the image unchanged. */
const DETAILS = ['low', 'high', 'auto', 'original']
const TOOL_TYPES = ['function', 'custom']
const TOOL_CHOICES = ['none', 'auto', 'required']
const CHOICE_TYPES = ['function', 'custom', 'allowed_tools']
const RESPONSE_FORMATS = ['text', 'json_object', 'json_schema']

interface UnknownType {
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

function* unknownParts(message: Message, path: string): Generator<UnknownType, void, void> {
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

function* unknownTypes(request: ChatRequest): Generator<UnknownType, void, void> {
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

// Fields of chat completions that ask for an answer of another kind, and that other API formats lack. Those that only tune
// an answer are omitted.

/** Fields, and whether a value asks for what happens without the field. */
export type UnsupportedFields = Readonly<Record<string, (value: unknown) => boolean>>

export const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0

/** The deprecated functions, whose calls have no id, and audio as output. */
export const LEGACY_AND_AUDIO: UnsupportedFields = {
  audio: () => false,
  modalities: (value) => Array.isArray(value) && value.every((each) => each === 'text'),
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
  known: readonly [Known, ...Known[]],
): Known {
  const rank = EFFORTS.indexOf(effort)
  return known.reduce((best, each) => (EFFORTS.indexOf(each) <= rank ? each : best), known[0])
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
