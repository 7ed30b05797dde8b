// The sandbox's token rule. Its usage reports and output limits are exact by this rule.
import type {
  KnownChatRequest as ChatRequest,
  ContentPart,
  Message,
  ToolCall,
} from '../../shared/formats/chat.ts'
import { isObject } from '../formats/json/json.ts'

/** Or the length of its URL, if that is less. */
const IMAGE_TOKENS = 85

const TOKEN = /\s*(?:[\p{L}\p{N}_]{1,4}|[^\s\p{L}\p{N}_])|\s+/gu

/**
 * The text cut into tokens: up to 4 letters, digits or `_`, or one other character, each with the white space before
 * it; white space at the very end is one token. Joined, they are the text again. Each has at least one character, so there
 * are never more tokens than UTF-8 bytes.
 */
export function splitTokens(text: string): string[] {
  return text.match(TOKEN) ?? []
}

export function countTokens(text: string): number {
  return splitTokens(text).length
}

function countPart(part: ContentPart): number {
  if (part.type === 'text') return countTokens(part.text)
  if (part.type === 'image_url') return Math.min(IMAGE_TOKENS, part.image_url.url.length)
  return 0
}

export function countCall({ function: call, custom }: ToolCall): number {
  if (call) return countTokens(call.name) + countTokens(call.arguments)
  return isObject(custom) ? countTokens(`${String(custom.name ?? '')} ${String(custom.input ?? '')}`) : 0
}

function countMessage(message: Message): number {
  const { content } = message
  let tokens = 0
  if (typeof content === 'string') tokens += countTokens(content)
  else for (const part of content ?? []) tokens += countPart(part)
  if (message.role !== 'assistant') return tokens
  for (const call of message.tool_calls ?? []) tokens += countCall(call)
  return tokens
}

/** Tokens of everything the model reads: every message's text, images and tool calls, and the tools as JSON. */
export function countPrompt(request: ChatRequest): number {
  const tools = request.tools?.length ? countTokens(JSON.stringify(request.tools)) : 0
  return request.messages.reduce((total, message) => total + countMessage(message), tools)
}

/** The text of a message, parts joined by line breaks; images and other parts are ignored. */
export function getText(message: Message | undefined): string {
  const content = message?.content
  if (typeof content === 'string') return content
  return (content ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}
