// Content parts of input messages and tool results. Source: OpenAI's API reference, "Create a response".
import type { ContentPart, Message } from '../../../shared/chat.ts'
import { refuseRequest } from '../chat/failure.ts'
import { isObject, type JsonObject } from '../json/json.ts'

/** OpenAI's marks for the prompt cache have the same form in both of its APIs. */
function readBreakpoint({ prompt_cache_breakpoint: mark }: JsonObject): JsonObject {
  return isObject(mark) ? { prompt_cache_breakpoint: mark } : {}
}

function encodeFile(part: JsonObject): JsonObject {
  const file = isObject(part.file) ? part.file : {}
  const names = ['file_data', 'file_id', 'file_url', 'filename']
  const fields = names.flatMap((name) => (typeof file[name] === 'string' ? [[name, file[name]]] : []))
  return { type: 'input_file', ...Object.fromEntries(fields), ...readBreakpoint(part) }
}

function encodePart(part: ContentPart): JsonObject {
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: part.text, ...readBreakpoint(part) }
    case 'image_url': {
      const { url, detail } = part.image_url
      return { type: 'input_image', image_url: url, detail: detail ?? 'auto', ...readBreakpoint(part) }
    }
    case 'file':
      return encodeFile(part)
    case 'refusal':
      return { type: 'input_text', text: readRefusalPart(part) }
    case 'input_audio':
      throw refuseRequest('The Responses API takes no audio: use a model of another provider.', 'messages')
  }
}

function readRefusalPart({ refusal }: JsonObject): string {
  return typeof refusal === 'string' ? refusal : ''
}

/** A text as it is, or the parts. */
export function encodeContent(content: Message['content']): string | JsonObject[] {
  if (typeof content === 'string') return content
  return (content ?? []).map(encodePart)
}

/** The text if there is nothing else, because some servers accept only texts as a tool's result. */
export function encodeToolResult(content: Message['content']): string | JsonObject[] {
  const parts = encodeContent(content)
  if (typeof parts === 'string') return parts
  const texts = parts.flatMap(({ text, prompt_cache_breakpoint: mark }) =>
    typeof text === 'string' && mark === undefined ? [text] : [],
  )
  return texts.length === parts.length ? texts.join('\n') : parts
}

/** The text and refusals of an assistant message; null if it has none. */
export function readAssistantText(message: Extract<Message, { role: 'assistant' }>): string | null {
  const { content, refusal } = message
  const parts = typeof content === 'string' ? [content] : (content ?? []).map(readAssistantPart)
  const text = parts.filter((part) => part !== '').join('\n')
  if (text !== '') return text
  return typeof refusal === 'string' && refusal !== '' ? refusal : null
}

function readAssistantPart(part: ContentPart): string {
  if (part.type === 'text') return part.text
  if (part.type === 'refusal') return readRefusalPart(part)
  throw refuseRequest('Assistant messages can have text only.', 'messages')
}
