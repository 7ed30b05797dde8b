// What can be said of token counts without an upstream's report: what a request carries, and an estimate of it.
import { type ChatRequest, isKnownPart } from '../../shared/chat.ts'

const BYTES_PER_TOKEN = 4
/** The usual count for an image, where only its vendor knows better. */
const TOKENS_OF_AN_IMAGE = 1_000
/** What a chat template adds around a message in the o200k family. */
const FRAMING_PER_MESSAGE = 4

/** The images of a request. Their data is counted by image, not by byte. */
export interface ImageData {
  count: number
  /** Of the base64 data; the same in every format that the request may be sent in. */
  bytes: number
}

const IMAGE_DATA = /^data:image\/[\w.+-]{1,40};base64,/i
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/** The image parts of the messages. What only pretends to be image data is text like any other. */
export function imagesIn({ messages }: ChatRequest): ImageData {
  let count = 0
  let bytes = 0
  for (const { content } of messages) {
    if (!Array.isArray(content)) continue
    for (const part of content) {
      if (!isKnownPart(part) || part.type !== 'image_url') continue
      count += 1
      const { url } = part.image_url
      const head = IMAGE_DATA.exec(url)?.[0]
      if (head !== undefined && BASE64.test(url.slice(head.length))) bytes += url.length - head.length
    }
  }
  return { count, bytes }
}

/** The usual estimate of a prompt's tokens, from the size of the request's text. */
export function aboutPromptTokens(bodyBytes: number, images: ImageData): number {
  return Math.ceil((bodyBytes - images.bytes) / BYTES_PER_TOKEN) + images.count * TOKENS_OF_AN_IMAGE
}

/** Fields that tell the provider how to work and are no part of the prompt. */
const CONTROLS: ReadonlySet<string> = new Set([
  ...['audio', 'logit_bias', 'metadata', 'modalities', 'plugins', 'reasoning', 'stop', 'stream_options'],
  ...['thinking', 'tool_choice', 'web_search_options'],
])

/**
 * The tokens of a prompt as `count` finds them, for a charge that nobody else can state. Its text is what the model
 * reads: contents, calls, tools and schemas, without the JSON around them; images come on top.
 */
export async function promptTokens(
  request: ChatRequest,
  count: (text: string) => Promise<number>,
): Promise<number> {
  const texts: string[] = []
  let images = 0
  const { messages, ...fields } = request
  for (const { content, ...message } of messages) {
    if (typeof content === 'string') texts.push(content)
    for (const part of Array.isArray(content) ? content : []) {
      if (typeof part.text === 'string') texts.push(part.text)
      else if (part.type === 'image_url') images += 1
      else texts.push(JSON.stringify(part))
    }
    if ('tool_calls' in message && message.tool_calls) texts.push(JSON.stringify(message.tool_calls))
  }
  for (const [name, value] of Object.entries(fields))
    if (typeof value === 'object' && value !== null && !CONTROLS.has(name)) texts.push(JSON.stringify(value))
  const framing = messages.length * FRAMING_PER_MESSAGE
  return (await count(texts.join('\n'))) + framing + images * TOKENS_OF_AN_IMAGE
}

/** Tokens of a text that was produced but not counted by anyone. */
export function aboutTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN)
}
