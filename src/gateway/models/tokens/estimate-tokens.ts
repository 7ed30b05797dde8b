import type { ChatRequest } from '../../../shared/chat.ts'

/** For estimates where tokens are not counted. */
export const BYTES_PER_TOKEN = 4
/** A typical count. The real one depends on the vendor and the image. */
const TOKENS_PER_IMAGE = 1_000
/** The tokens that a chat template adds to a message in the o200k family. */
const FRAMING_PER_MESSAGE = 4

/** The images of a request, whose tokens are estimated by image, not by byte. */
export interface ImageData {
  count: number
  /** The bytes of base64 data, which are the same in every API format. */
  bytes: number
}

/** Estimates the tokens of a prompt from the size of the request. */
export function estimatePromptTokens(bodyBytes: number, images: ImageData): number {
  return Math.ceil((bodyBytes - images.bytes) / BYTES_PER_TOKEN) + images.count * TOKENS_PER_IMAGE
}

/** Fields that are options of the request and not part of the prompt. */
const CONTROLS: ReadonlySet<string> = new Set([
  'audio',
  'logit_bias',
  'metadata',
  'modalities',
  'plugins',
  'reasoning',
  'stop',
  'stream_options',
  'thinking',
  'tool_choice',
  'web_search_options',
])

/**
 * Counts the tokens of a prompt with `count`, for a charge where the provider reports none. The text is what the model
 * reads: contents, calls, tools and schemas without the JSON around them. Images are added by number.
 */
export async function countPromptTokens(
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
  return (await count(texts.join('\n'))) + framing + images * TOKENS_PER_IMAGE
}

/** Estimates the tokens of a text from its size. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN)
}
