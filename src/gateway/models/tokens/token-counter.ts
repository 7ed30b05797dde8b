import { Worker } from 'node:worker_threads'
import { estimateTokens } from './estimate-tokens.ts'

// The built app starts a thread from the file beside its chunk; the sources from the source file.
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
