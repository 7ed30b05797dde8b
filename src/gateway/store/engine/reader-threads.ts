import type { reads } from '../reads.ts'
import { StoreError } from './store-error.ts'
import type { Thread } from './thread.ts'

type ReadName = keyof typeof reads

/** Reads that scan the whole ledger, which may take seconds: each runs in its own thread, so that no other read waits. */
const LONG_READS: ReadonlySet<ReadName> = new Set(['checkTotals', 'checkDamage'])
/** A thread takes some ten megabytes, and a gateway without a window may go without reads for days. */
const IDLE_MS = 60_000

/** Runs reads in a thread that starts at the first of them, and ends when nothing was read for a while. */
export class ReaderThreads {
  readonly #start: () => Promise<Thread>
  readonly #idleMs: number
  #thread: Promise<Thread> | null = null
  #idle: NodeJS.Timeout | undefined
  #running = 0
  /** Reads that run, and threads that are ending. */
  readonly #tasks = new Set<Promise<unknown>>()
  #closed = false

  constructor(start: () => Promise<Thread>, idleMs = IDLE_MS) {
    this.#start = start
    this.#idleMs = idleMs
  }

  async read<T>(op: ReadName, args: unknown[]): Promise<T> {
    if (this.#closed) throw new StoreError('closed', 'The store is closed.')
    return await this.#track(
      LONG_READS.has(op) ? this.#readInOwnThread<T>(op, args) : this.#readInThread<T>(op, args),
    )
  }

  /** Finishes the reads, and ends the threads. */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.allSettled(this.#tasks)
    this.#endThread()
    await Promise.allSettled(this.#tasks)
  }

  async #readInThread<T>(op: string, args: unknown[]): Promise<T> {
    clearTimeout(this.#idle)
    this.#running++
    try {
      return await (await this.#started()).call<T>(op, args)
    } finally {
      this.#running--
      if (this.#running === 0) this.#idle = setTimeout(() => this.#endThread(), this.#idleMs).unref()
    }
  }

  async #started(): Promise<Thread> {
    this.#thread ??= this.#start()
    try {
      return await this.#thread
    } catch (error) {
      this.#thread = null
      throw error
    }
  }

  #endThread(): void {
    clearTimeout(this.#idle)
    const thread = this.#thread
    this.#thread = null
    if (thread) void this.#track(thread.then((started) => started.close()))
  }

  async #readInOwnThread<T>(op: string, args: unknown[]): Promise<T> {
    const thread = await this.#start()
    return await thread.call<T>(op, args).finally(() => thread.close())
  }

  #track<T>(task: Promise<T>): Promise<T> {
    const tracked = task.finally(() => this.#tasks.delete(tracked))
    this.#tasks.add(tracked)
    return tracked
  }
}
