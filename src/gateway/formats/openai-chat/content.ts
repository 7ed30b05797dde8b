// Owns what a vendor puts where the chat-completions format has a text: content in parts (Mistral's reasoning models
// answer so), thoughts as objects, numbers. Nothing that was produced is lost. Source: Mistral's API reference,
// `AssistantMessage` and its content chunks.
import { isObject, type JsonObject } from '../json.ts'

/** The text of a value that should have been one. A list gives the texts of its parts, one after the other. */
function textFrom(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.map(textFrom).join('')
  if (!isObject(value)) return String(value)
  return typeof value.text === 'string' ? value.text : JSON.stringify(value)
}

/** Parts sorted into what the clients' format can say of them. */
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

/** Whether what is said is in texts, as clients rely on. */
export function hasTextFields(said: JsonObject): boolean {
  return isText(said.content) && isText(said.reasoning_content) && isText(said.refusal)
}

/** A member as a text with `more` at its end; what is absent or null stays so while there is nothing to say. */
function asText(name: string, value: unknown, more = ''): JsonObject {
  if (more === '' && value === undefined) return {}
  if (more === '' && value === null) return { [name]: null }
  return { [name]: textFrom(value) + more }
}

/**
 * The texts of a message or a delta, whatever form they came in, without the members that have nothing to say. Parts
 * that are neither text nor thought have no member in the format: they are kept as `content_parts`.
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

/** The message with its texts as texts; itself when they are. */
export function normaliseTexts(message: JsonObject): JsonObject {
  if (hasTextFields(message)) return message
  const { content, reasoning_content, refusal, ...rest } = message
  return { ...rest, ...readTextFields({ content, reasoning_content, refusal }) }
}
