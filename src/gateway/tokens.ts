// Owns what can be said of token counts before or without an upstream's report: a bound to reserve, and an estimate.
import type { ChatRequest } from '../shared/chat.ts'

/** No vision model known charges more for one image at its highest detail. */
const MAX_TOKENS_PER_IMAGE = 4_096
/** Framing that chat templates add around each message. */
const TOKENS_PER_MESSAGE = 8
const BYTES_PER_TOKEN = 4

export interface PromptSize {
  /** No tokenizer makes more of it: a byte is at least one token's worth. */
  atMost: number
  /** The usual four bytes to a token. */
  about: number
}

/** The size of a prompt, tools and schemas included, from its bytes. Image data is counted by image, not by byte. */
export function promptSize(request: ChatRequest): PromptSize {
  let images = 0
  const text = JSON.stringify([request.messages, request.tools, request.response_format], (name, value) => {
    if (name === 'image_url' && typeof value === 'object' && value !== null) {
      images++
      return undefined
    }
    return value
  })
  const bytes = Buffer.byteLength(text)
  const framing = request.messages.length * TOKENS_PER_MESSAGE
  return {
    atMost: bytes + framing + images * MAX_TOKENS_PER_IMAGE,
    about: Math.ceil(bytes / BYTES_PER_TOKEN) + images * TOKENS_OF_AN_IMAGE,
  }
}

/** The usual count for an image, where only its vendor knows better. */
const TOKENS_OF_AN_IMAGE = 1_000
/** What a chat template adds around a message in the o200k family. */
const FRAMING_PER_MESSAGE = 4

/**
 * The tokens of a prompt as `count` finds them, for a charge that nobody else can state. Its text is what the model
 * reads: contents, calls, tools and schema, without the JSON around them; images come on top.
 */
export async function promptTokens(
  request: ChatRequest,
  count: (text: string) => Promise<number>,
): Promise<number> {
  const texts: string[] = []
  let images = 0
  for (const { content, ...message } of request.messages) {
    if (typeof content === 'string') texts.push(content)
    for (const part of Array.isArray(content) ? content : []) {
      if (part.type === 'text') texts.push(part.text)
      else images += 1
    }
    if ('tool_calls' in message && message.tool_calls) texts.push(JSON.stringify(message.tool_calls))
  }
  for (const schema of [request.tools, request.response_format])
    if (schema) texts.push(JSON.stringify(schema))
  const framing = request.messages.length * FRAMING_PER_MESSAGE
  return (await count(texts.join('\n'))) + framing + images * TOKENS_OF_AN_IMAGE
}

/** Tokens of a text that was produced but not counted by anyone. */
export function aboutTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN)
}
