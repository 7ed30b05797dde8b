// The chunks of a stream: reads and repairs them, and reads those that repeat the last one faster.
import type { ChatChunk, ChunkChoice } from '../../../shared/formats/chat-completion.ts'
import { type ChunkPieces, joinPieces } from '../chat/events.ts'
import { finishReason, isChoiceIndex, isFinishReason } from '../chat/normalize.ts'
import {
  asObject,
  findStringEnd,
  isGiven,
  isObject,
  type JsonObject,
  parseJson,
  wholeNumber,
} from '../json/json.ts'

function isChoice(value: unknown): value is ChunkChoice {
  if (!isObject(value) || !isChoiceIndex(value.index) || !isObject(value.delta)) return false
  if (!isFinishReason(value.finish_reason) && value.finish_reason !== null) return false
  const { role, tool_calls: calls } = value.delta
  if (role !== undefined && role !== 'assistant') return false
  if (!hasTextFields(value.delta)) return false
  return calls === undefined || (Array.isArray(calls) && calls.every(isToolDelta))
}

function isToolDelta(call: unknown): boolean {
  if (!isObject(call) || wholeNumber(call.index) === null) return false
  const { id, type, function: called } = call
  if ((id !== undefined && typeof id !== 'string') || (type !== undefined && typeof type !== 'string'))
    return false
  if (called === undefined) return true
  if (!isObject(called)) return false
  const { name, arguments: args } = called
  return (name === undefined || typeof name === 'string') && (args === undefined || typeof args === 'string')
}

function isChunk(value: JsonObject): value is ChatChunk {
  return (
    typeof value.id === 'string' &&
    typeof value.created === 'number' &&
    typeof value.model === 'string' &&
    value.object === 'chat.completion.chunk' &&
    Array.isArray(value.choices) &&
    value.choices.every(isChoice)
  )
}

function repairToolDelta(call: unknown, position: number): JsonObject | null {
  if (!isObject(call)) return null
  const { id, type, function: called, index, ...rest } = call
  const repaired: JsonObject = { ...rest }
  repaired.index = wholeNumber(index) ?? position
  if (typeof id === 'string' && id !== '') repaired.id = id
  if (typeof type === 'string') repaired.type = type
  if (isObject(called)) {
    const { name, arguments: args, ...others } = called
    repaired.function = {
      ...others,
      ...(typeof name === 'string' && { name }),
      // Some servers send the arguments as an object instead of its JSON text.
      ...(typeof args === 'string' && { arguments: args }),
      ...(isObject(args) && { arguments: JSON.stringify(args) }),
    }
  }
  return repaired
}

/** Some servers send whole messages; the choices of text completions have a text. */
function readDelta({ delta, message, text }: JsonObject): JsonObject {
  if (isObject(delta)) return delta
  if (isObject(message)) return message
  return typeof text === 'string' ? { content: text } : {}
}

function repairChoice(value: unknown, position: number): JsonObject {
  const choice = asObject(value)
  const delta = readDelta(choice)
  const { role, tool_calls: calls, ...rest } = normalizeTexts(delta)
  // Some servers send a single call without the array.
  const hasCalls = Array.isArray(calls) || isObject(calls)
  const { message: _, text: __, ...others } = choice
  return {
    ...others,
    index: isChoiceIndex(choice.index) ? choice.index : position,
    delta: {
      ...rest,
      ...(typeof role === 'string' && { role: 'assistant' }),
      ...(hasCalls && {
        tool_calls: [calls]
          .flat()
          .map(repairToolDelta)
          .filter((call) => call !== null),
      }),
    },
    // Some servers send an empty one in every chunk but the last.
    finish_reason:
      typeof choice.finish_reason === 'string' && choice.finish_reason.trim() !== ''
        ? finishReason(choice.finish_reason, hasCalls)
        : null,
  }
}

/**
 * Reads a parsed `data` payload, and reports whether it had to be repaired. Missing `id`, `model` and `created` become ''
 * and 0. Null when it has no `choices`.
 */
export function readChunk(value: JsonObject): { chunk: ChatChunk; repaired: boolean } | null {
  if (isChunk(value)) return { chunk: value, repaired: false }
  if (!Array.isArray(value.choices)) return null
  const repaired: JsonObject = {
    ...value,
    id: typeof value.id === 'string' ? value.id : '',
    object: 'chat.completion.chunk',
    created: wholeNumber(value.created) ?? 0,
    model: typeof value.model === 'string' ? value.model : '',
    choices: value.choices.map(repairChoice),
  }
  return isChunk(repaired) ? { chunk: repaired, repaired: true } : null
}

// Values that vendors send where the chat-completions format has a string: content in parts (Mistral's reasoning models),
// reasoning as objects, numbers. Nothing is lost. Source: Mistral's API reference, `AssistantMessage` and its content
// chunks.

/** The text of a value that should be a string. The texts of an array are concatenated. */
function textFrom(value: unknown): string {
  if (typeof value === 'string') return value
  if (!isGiven(value)) return ''
  if (Array.isArray(value)) return value.map(textFrom).join('')
  if (!isObject(value)) return String(value)
  return typeof value.text === 'string' ? value.text : JSON.stringify(value)
}

class Parts {
  text: string | null = null
  reasoning = ''
  refusal = ''
  readonly others: JsonObject[] = []

  add(part: unknown): void {
    if (!isObject(part)) {
      this.text = (this.text ?? '') + textFrom(part)
    } else if (part.type === 'thinking') {
      this.reasoning += textFrom(part.thinking)
    } else if (part.type === 'refusal') {
      this.refusal += textFrom(part.refusal)
    } else if (typeof part.text === 'string') {
      this.text = (this.text ?? '') + part.text
    } else {
      this.others.push(part)
    }
  }
}

const isText = (value: unknown): boolean => !isGiven(value) || typeof value === 'string'

/** Whether the text fields are strings or null, as clients expect. */
function hasTextFields(message: JsonObject): boolean {
  return isText(message.content) && isText(message.reasoning_content) && isText(message.refusal)
}

/** The field as a string with `more` appended; absent or null if there is no text. */
function asText(name: string, value: unknown, more = ''): JsonObject {
  if (more === '' && value === undefined) return {}
  if (more === '' && value === null) return { [name]: null }
  return { [name]: textFrom(value) + more }
}

/**
 * The text fields of a message or a delta; empty ones are omitted. Parts that are neither text nor reasoning have no field
 * in the format: they are returned in `content_parts`.
 */
function readTextFields({ content, reasoning_content: reasoning, refusal }: JsonObject): JsonObject {
  const parts = new Parts()
  if (Array.isArray(content)) for (const part of content) parts.add(part)
  return {
    ...(Array.isArray(content) ? parts.text !== null && { content: parts.text } : asText('content', content)),
    ...asText('reasoning_content', reasoning, parts.reasoning),
    ...asText('refusal', refusal, parts.refusal),
    ...(parts.others.length > 0 && { content_parts: parts.others }),
  }
}

/** Converts the text fields to strings. Returns the same message if they already are. */
export function normalizeTexts(message: JsonObject): JsonObject {
  if (hasTextFields(message)) return message
  const { content, reasoning_content, refusal, ...rest } = message
  return { ...rest, ...readTextFields({ content, reasoning_content, refusal }) }
}

/** The members of a delta whose text comes in pieces, and where it starts in the JSON. */
const TEXTS: readonly { name: string; start: RegExp }[] = [
  { name: 'content', start: /"content"\s*:\s*"/ },
  { name: 'reasoning_content', start: /"reasoning_content"\s*:\s*"/ },
  { name: 'reasoning', start: /"reasoning"\s*:\s*"/ },
]
/** The last member of a chunk that only hides the length of its text: OpenAI's and Mistral's name for it. */
const PADDING = /"(obfuscation|p)"\s*:\s*"(?=[^"\\]*"\s*\}$)/

/** Characters that a JSON string must escape. */
const SPECIAL = /[\\\p{Cc}]/u

interface Template {
  parts: readonly string[]
  chunk: ChatChunk
  choice: ChunkChoice
  /** The member of the delta that is the first text. */
  name: string
  /** The member of the chunk that is the second text; null for a chunk without padding. */
  padding: string | null
  /** Whether the texts in the JSON are those members; checked when the template is used first. */
  isChecked: boolean
}

export interface RepeatedChunk {
  chunk: ChatChunk
  pieces: ChunkPieces
}

/** Most chunks of a stream differ in their text only. These are read by their text, without parsing the rest again. */
export class RepeatedChunks {
  #template: Template | null = null

  /** The chunk, if its JSON is that of the last one with another text; null if it has to be parsed. */
  read(json: string): RepeatedChunk | null {
    const template = this.#template
    const texts = template && textsIn(json, template.parts)
    if (!texts) return null
    if (!template.isChecked) template.isChecked = isTrue(template)
    const chunk = template.isChecked ? build(template, texts) : null
    if (!chunk) {
      this.#template = null
      return null
    }
    return { chunk, pieces: { parts: template.parts, texts } }
  }

  /** Called with a chunk that was parsed and did not have to be repaired. */
  remember(json: string, chunk: ChatChunk): void {
    const [choice, ...others] = chunk.choices
    if (!choice || others.length > 0 || choice.finish_reason !== null) return
    const text = TEXTS.find(({ name }) => choice.delta[name])
    const match = text?.start.exec(json)
    if (!text || !match) return
    const textStart = match.index + match[0].length
    const head = json.slice(0, textStart)
    const tail = json.slice(findStringEnd(json, textStart - 1))
    const padding = PADDING.exec(tail)
    const parts = padding ? [head, ...splitAt(tail, padding)] : [head, tail]
    this.#template = {
      parts,
      chunk,
      choice,
      name: text.name,
      padding: padding?.[1] ?? null,
      isChecked: false,
    }
  }
}

/** The texts before and after the value that follows the match. */
function splitAt(json: string, match: RegExpExecArray): [string, string] {
  const start = match.index + match[0].length
  return [json.slice(0, start), json.slice(json.indexOf('"', start))]
}

/** The literal texts between the parts; null for other JSON. */
function textsIn(json: string, parts: readonly string[]): string[] | null {
  const texts: string[] = []
  let at = 0
  for (const part of parts) {
    const start = at + part.length
    // Faster than `startsWith`.
    if (json.slice(at, start) !== part) return null
    if (texts.length === parts.length - 1) return start === json.length ? texts : null
    at = findStringEnd(json, start - 1)
    texts.push(json.slice(start, at))
  }
  return null
}

/** Null for texts that are not valid in JSON. */
function build({ chunk, choice, name, padding }: Template, texts: readonly string[]): ChatChunk | null {
  const text = readLiteral(texts[0])
  if (typeof text !== 'string') return null
  const choices = [{ ...choice, delta: { ...choice.delta, [name]: text } }]
  if (padding === null) return { ...chunk, choices }
  const padded = readLiteral(texts[1])
  return typeof padded === 'string' ? { ...chunk, choices, [padding]: padded } : null
}

/** Undefined for a text that is not valid in JSON. */
function readLiteral(literal = ''): unknown {
  return SPECIAL.test(literal) ? parseJson(`"${literal}"`) : literal
}

/** Other members can have the same names: other texts must make the chunk that is built with them. */
function isTrue(template: Template): boolean {
  const others = template.parts.slice(1).map((_, at) => `other ${at}`)
  const read = parseJson(joinPieces({ parts: template.parts, texts: others }))
  return JSON.stringify(read) === JSON.stringify(build(template, others))
}
