import { Worker } from 'node:worker_threads'
import type { ChatRequest } from '../../../shared/formats/chat.ts'
import { wordSet } from '../../../shared/values/text.ts'

// The built app starts a thread from the file next to its chunk; the sources from the source file.
const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? './token-worker.ts' : './token-worker.js',
  import.meta.url,
)

const MAX_BYTES = 200_000
const TIMEOUT_MS = 2_500
/** The thread ends, and so frees its memory, when nothing was counted for so long. */
const IDLE_MS = 60_000

interface Count {
  text: string
  resolve(tokens: number): void
  timeout: NodeJS.Timeout
}

/** Counts tokens in a thread that starts when it is first needed. */
export class TokenCounter {
  /** The first is being counted; the others wait for it. */
  readonly #counts: Count[] = []
  #thread: Worker | null = null
  #idle: NodeJS.Timeout | undefined
  #closed = false

  /**
   * Tokens of `text` in the o200k vocabulary; estimated from its bytes above 200 kB, or when counting takes over 2.5 s.
   * Never rejects.
   */
  count(text: string): Promise<number> {
    if (this.#closed || Buffer.byteLength(text) > MAX_BYTES) return Promise.resolve(estimateTokens(text))
    return new Promise((resolve) => {
      const count: Count = { text, resolve, timeout: setTimeout(() => this.#giveUp(count), TIMEOUT_MS) }
      this.#counts.push(count)
      if (this.#counts.length === 1) this.#startFirst()
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const count of [...this.#counts]) this.#settle(count, estimateTokens(count.text))
    await this.#endThread()
  }

  #startFirst(): void {
    clearTimeout(this.#idle)
    const first = this.#counts[0]
    if (first) {
      this.#thread ??= this.#startThread()
      this.#thread.postMessage(first.text)
    } else {
      this.#idle = setTimeout(() => void this.#endThread(), IDLE_MS).unref()
    }
  }

  #startThread(): Worker {
    const thread = new Worker(WORKER, { name: 'token counter' })
    thread.unref()
    thread.on('message', (tokens: number) => {
      const first = this.#counts[0]
      if (this.#thread !== thread || !first) return
      this.#settle(first, tokens)
      this.#startFirst()
    })
    // The thread cannot count this text; the next one starts another thread.
    thread.on('error', () => {
      const first = this.#counts[0]
      if (this.#thread === thread && first) this.#giveUp(first)
    })
    return thread
  }

  /** Estimates the tokens. If they are being counted, the thread is ended: it can do nothing else until it has counted them. */
  #giveUp(count: Count): void {
    const isFirst = this.#counts[0] === count
    this.#settle(count, estimateTokens(count.text))
    if (!isFirst) return
    void this.#endThread()
    this.#startFirst()
  }

  #settle(count: Count, tokens: number): void {
    clearTimeout(count.timeout)
    this.#counts.splice(this.#counts.indexOf(count), 1)
    count.resolve(tokens)
  }

  async #endThread(): Promise<void> {
    const thread = this.#thread
    this.#thread = null
    clearTimeout(this.#idle)
    await thread?.terminate()
  }
}

/** The ratio for estimates where tokens are not counted. */
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
const CONTROLS = wordSet(`
  audio logit_bias metadata modalities plugins reasoning stop stream_options thinking tool_choice
  web_search_options`)

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
function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN)
}
