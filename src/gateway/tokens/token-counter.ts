// Owns the counting of a text's tokens in a thread of its own, started when first needed. Knows nothing of prompts,
// models or money.
import { Worker } from 'node:worker_threads'
import { aboutTokens } from './estimate-tokens.ts'

// The built app starts a thread from the file beside its chunk; the sources from the source file.
const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? './token-worker.ts' : './token-worker.js',
  import.meta.url,
)

const MAX_BYTES = 200_000
const LIMIT_MS = 2_500
/** The thread gives its memory back when nothing was counted for so long. */
const IDLE_MS = 60_000

interface Message {
  id: number
  tokens: number
}

export class TokenCounter {
  #worker: Worker | null = null
  #lastId = 0
  readonly #waiting = new Map<number, (tokens: number | null) => void>()
  #idle: NodeJS.Timeout | null = null

  /** Tokens of `text` in the o200k vocabulary; by the usual measure above 200 kB, or when counting takes over 2.5 s. Never rejects. */
  async count(text: string): Promise<number> {
    if (Buffer.byteLength(text) > MAX_BYTES) return aboutTokens(text)
    return (await this.#ask(text)) ?? aboutTokens(text)
  }

  async close(): Promise<void> {
    await this.#stop()
  }

  async #ask(text: string): Promise<number | null> {
    const id = ++this.#lastId
    if (this.#idle) clearTimeout(this.#idle)
    this.#idle = null
    let timer: NodeJS.Timeout | undefined
    try {
      return await new Promise<number | null>((resolve) => {
        this.#waiting.set(id, resolve)
        timer = setTimeout(() => void this.#stop(), LIMIT_MS)
        this.#start().postMessage({ id, text })
      })
    } catch {
      return null
    } finally {
      clearTimeout(timer)
      this.#waiting.delete(id)
      if (this.#worker && this.#waiting.size === 0) {
        this.#idle = setTimeout(() => void this.#stop(), IDLE_MS).unref()
      }
    }
  }

  #start(): Worker {
    if (this.#worker) return this.#worker
    const worker = new Worker(WORKER, { name: 'token counter' })
    worker.on('message', ({ id, tokens }: Message) => this.#waiting.get(id)?.(tokens))
    worker.on('error', () => {
      if (this.#worker === worker) void this.#stop()
    })
    worker.unref()
    this.#worker = worker
    return worker
  }

  /** Whatever is waited for is answered with nothing: the usual measure takes its place. */
  async #stop(): Promise<void> {
    if (this.#idle) clearTimeout(this.#idle)
    this.#idle = null
    const worker = this.#worker
    this.#worker = null
    for (const resolve of this.#waiting.values()) resolve(null)
    await worker?.terminate()
  }
}
