// The client side of the store's threads.
import { type EventEmitter, once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { getTimers, systemClock, type Timers } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import { noteNativeCall } from '../../platform/native-calls.ts'
import type { Reads } from '../calls.ts'
import type { Call } from '../part.ts'
import { StoreError, type StoreErrorData } from '../sql/store-error.ts'
import type { BackupTaskArgs, BackupTaskName, BackupTaskResult } from './backup-tasks.ts'
import type { Restoration } from './restore.ts'
import type { FromThread, Result, ThreadData, ToThread } from './worker.ts'

// The built app starts a thread from the file next to its chunk; the sources from the source file.
const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? '../../compose/store-worker.ts' : './store-worker.js',
  import.meta.url,
)

/**
 * Calls per message. The writer commits a batch in one transaction; its first call must not wait long for the last. A read
 * does not wait for others.
 */
const MAX_BATCH = { writer: 500, reader: 1 }

export interface Thread {
  /** The backup that the thread restored when it started. */
  readonly restored: Restoration | null
  /**
   * Resolves with the operation's result; the caller states its type. Rejects with a StoreError. `mayWait`: for other calls
   * to share its commit with.
   */
  call<T>(op: string, args: unknown[], mayWait?: boolean): Promise<T>
  /** Lets the thread finish all earlier calls, and waits for its end. */
  close(): Promise<void>
}

/** Emits `message`, `error` and `exit` like a worker, which it is except in tests. */
export type StoreWorker = EventEmitter & { postMessage(message: ToThread): void }

export interface ThreadOptions {
  role: 'writer' | 'reader'
  dataDir: string
  version?: string | undefined
  log: Log
  startWorker?: ((data: ThreadData) => StoreWorker) | undefined
  /** The thread ended unexpectedly, or found the database damaged. */
  onFatal(error: StoreError): void
}

/** Starts a thread that runs operations. Rejects with a StoreError when it cannot open the database. */
export async function startThread({
  log,
  onFatal,
  startWorker = startNodeWorker,
  ...data
}: ThreadOptions): Promise<Thread> {
  const { role } = data
  const worker = startWorker(data)
  const post = (message: ToThread) => worker.postMessage(message)
  const queue = new CallQueue(MAX_BATCH[role], post)
  let closing = false
  let ended: StoreError | null = null

  const restored = await new Promise<Restoration | null>((resolve, reject) => {
    let started = false
    const end = (error: StoreError) => {
      if (ended) return
      ended = error
      queue.rejectAll(error)
      reject(error)
      const isDamage = role === 'reader' && error.code === 'corrupt'
      if (isDamage || (started && !closing)) onFatal(error)
    }
    worker.on('message', (message: FromThread) => {
      switch (message.type) {
        case 'ready':
          started = true
          return resolve(message.restored)
        case 'refused':
          return end(reviveError(message.error))
        case 'log':
          return log[message.level](message.message, message.fields)
        case 'results':
          for (const error of queue.answer(message.results)) if (error.code === 'corrupt') onFatal(error)
          return
        case 'done':
          return
      }
    })
    worker.on('error', (cause) => end(threadDied(role, cause)))
    worker.on('exit', () =>
      end(closing ? new StoreError('closed', 'The store is closed.') : threadDied(role)),
    )
  })

  return {
    restored,
    call<T>(op: string, args: unknown[], mayWait?: boolean) {
      return new Promise<T>((resolve, reject) => {
        if (ended || closing) return reject(ended ?? new StoreError('closed', 'The store is closed.'))
        queue.add([op, ...args], { resolve, reject }, mayWait)
      })
    },
    async close() {
      if (ended || closing) return
      closing = true
      await queue.idle()
      if (ended) return
      const exit = new Promise((resolve) => worker.once('exit', resolve))
      post('close')
      await exit
    },
  }
}

/**
 * Runs a task in its own thread, which `signal` terminates. Rejects with a StoreError. An aborted thread may go on until
 * the end of a native call, such as the check of a large file; this rejects without waiting for it.
 */
export function backupInThread<K extends BackupTaskName>(
  dataDir: string,
  task: K,
  args: BackupTaskArgs<K>,
  signal?: AbortSignal,
): Promise<BackupTaskResult<K>>
export async function backupInThread(
  dataDir: string,
  task: BackupTaskName,
  args: unknown[],
  signal?: AbortSignal,
): Promise<unknown> {
  if (signal?.aborted) throw abortedBackup()
  const worker = startNodeWorker({ role: 'backup', dataDir, task, args })
  let outcome = null as FromThread | null
  worker.on('message', (message: FromThread) => {
    outcome = message
  })
  const exit = once(worker, 'exit')
  noteNativeCall(exit)
  const { promise: aborted, resolve: abort } = Promise.withResolvers<void>()
  const end = () => {
    void worker.terminate()
    worker.unref()
    abort()
  }
  signal?.addEventListener('abort', end)
  await Promise.race([exit, aborted])
  signal?.removeEventListener('abort', end)
  if (outcome === null && signal?.aborted) throw abortedBackup()
  if (outcome?.type === 'done') return outcome.value
  throw outcome?.type === 'refused' ? reviveError(outcome.error) : threadDied('backup')
}

function abortedBackup(): StoreError {
  return new StoreError('closed', 'The backup was aborted, because Tollgate is stopping.')
}

function startNodeWorker(data: ThreadData): Worker {
  return new Worker(WORKER, { workerData: data, name: `store ${data.role}` })
}

function threadDied(role: ThreadData['role'], cause?: unknown): StoreError {
  const reason = cause === undefined ? 'has ended' : `failed: ${String(cause)}`
  return new StoreError('thread_ended', `The ${role} thread of the store ${reason}.`, { cause })
}

// The calls that a thread has not answered yet.

interface Caller {
  // A method, not a property: TypeScript compares its parameter bivariantly, and the operation decides the value's type.
  resolve(value: unknown): void
  reject(error: StoreError): void
}

/** How long a call that may wait does, for others to share its message and its commit with. */
const SHARING_MS = 2

/**
 * Collects calls while the thread works on a batch, and sends them as the next one. An idle thread gets its batch at the
 * end of the event loop's turn: a single call hardly waits, and calls that come together share one message and one commit.
 */
export class CallQueue {
  readonly #maxBatch: number
  readonly #send: (calls: readonly Call[]) => void
  readonly #timers: Timers
  #calls: Call[] = []
  /** The callers of `#calls`, in the same order. */
  #callers: Caller[] = []
  /** The callers of the batch that the thread works on; empty when it is idle. */
  #sent: readonly Caller[] = []
  #isScheduled = false
  #isTimerSet = false
  #onIdle: (() => void)[] = []

  constructor(maxBatch: number, send: (calls: readonly Call[]) => void, timers = getTimers(systemClock)) {
    this.#maxBatch = maxBatch
    this.#send = send
    this.#timers = timers
  }

  /** `mayWait`: the call is not urgent, and is sent with the next one, or after about two milliseconds. */
  add(call: Call, caller: Caller, mayWait = false): void {
    this.#calls.push(call)
    this.#callers.push(caller)
    if (mayWait) this.#setTimer()
    else this.#schedule()
  }

  /** Answers the batch that the thread has worked on. Returns the errors among its results. */
  answer(results: readonly Result[]): StoreError[] {
    const answered = this.#sent
    this.#sent = []
    const errors: StoreError[] = []
    for (const [at, caller] of answered.entries()) {
      const result = results[at]
      if (result && 'error' in result) {
        const error = reviveError(result.error)
        errors.push(error)
        caller.reject(error)
      } else caller.resolve(result?.value)
    }
    if (this.#calls.length > 0) this.#schedule()
    else for (const resolve of this.#onIdle.splice(0)) resolve()
    return errors
  }

  /** The thread has ended. */
  rejectAll(error: StoreError): void {
    const callers = [...this.#sent, ...this.#callers]
    this.#calls = []
    this.#callers = []
    this.#sent = []
    for (const caller of callers) caller.reject(error)
    for (const resolve of this.#onIdle.splice(0)) resolve()
  }

  /** Resolves when every call is answered. */
  idle(): Promise<void> {
    if (this.#calls.length === 0 && this.#sent.length === 0) return Promise.resolve()
    this.#schedule()
    return new Promise((resolve) => this.#onIdle.push(resolve))
  }

  /** One that is set already ends sooner, which does no harm. */
  #setTimer(): void {
    if (this.#isTimerSet) return
    this.#isTimerSet = true
    this.#timers.setTimeout(() => {
      this.#isTimerSet = false
      if (this.#calls.length > 0) this.#schedule()
    }, SHARING_MS)
  }

  #schedule(): void {
    if (this.#isScheduled || this.#sent.length > 0) return
    this.#isScheduled = true
    this.#timers.setImmediate(() => this.#sendBatch())
  }

  #sendBatch(): void {
    this.#isScheduled = false
    if (this.#calls.length === 0) return
    const batch = this.#calls.splice(0, this.#maxBatch)
    this.#sent = this.#callers.splice(0, this.#maxBatch)
    this.#send(batch)
  }
}

export function reviveError({ code, message }: StoreErrorData): StoreError {
  return new StoreError(code, message)
}

type ReadName = keyof Reads

/** Reads that scan the whole ledger, which may take seconds: each runs in its own thread, so that no other read waits. */
const LONG_READS: ReadonlySet<ReadName> = new Set(['checkTotals', 'checkDamage'])
/** A thread takes some ten megabytes, and may not be needed for days. */
const IDLE_MS = 60_000

/** Runs reads in a thread that starts at the first of them, and ends when nothing was read for `idleMs`, if that is not null. */
export class ReaderThreads {
  readonly #start: () => Promise<Thread>
  readonly #idleMs: number | null
  #thread: Promise<Thread> | null = null
  #idle: NodeJS.Timeout | undefined
  #running = 0
  /** Reads that run, and threads that are ending. */
  readonly #tasks = new Set<Promise<unknown>>()
  #closed = false

  constructor(start: () => Promise<Thread>, idleMs: number | null = IDLE_MS) {
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
      if (this.#running === 0 && this.#idleMs !== null)
        this.#idle = setTimeout(() => this.#endThread(), this.#idleMs).unref()
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
