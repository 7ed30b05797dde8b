import { fileURLToPath } from 'node:url'
import { Tinypool } from 'tinypool'
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

/** Counts tokens in a thread that starts when it is first needed. */
export class TokenCounter {
  readonly #pool = new Tinypool({
    filename: fileURLToPath(WORKER),
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE_MS,
  })

  constructor() {
    // A thread that fails while it has nothing to count: the next text starts another.
    this.#pool.on('error', () => {})
  }

  /**
   * Tokens of `text` in the o200k vocabulary; estimated from its bytes above 200 kB, or when counting takes over 2.5 s.
   * Never rejects.
   */
  async count(text: string): Promise<number> {
    if (Buffer.byteLength(text) > MAX_BYTES) return estimateTokens(text)
    // Aborting ends the thread; the next text starts another.
    const timeout = new AbortController()
    const timer = setTimeout(() => timeout.abort(), TIMEOUT_MS)
    try {
      const tokens: unknown = await this.#pool.run(text, { signal: timeout.signal })
      return Number(tokens)
    } catch {
      return estimateTokens(text)
    } finally {
      clearTimeout(timer)
    }
  }

  async close(): Promise<void> {
    await this.#pool.destroy()
  }
}
