// What vendors send where the chat-completions format has a string: content in parts (Mistral's reasoning models),
// reasoning as objects, numbers. Nothing is lost. Source: Mistral's API reference, `AssistantMessage` and its content
// chunks.
import { isObject, type JsonObject } from '../json/json.ts'

/** The text of a value that should be a string. The texts of an array are concatenated. */
function textFrom(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === undefined || value === null) return ''
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

const isText = (value: unknown): boolean => value === undefined || value === null || typeof value === 'string'

/** Whether the text fields are strings or null, as clients expect. */
export function hasTextFields(message: JsonObject): boolean {
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
