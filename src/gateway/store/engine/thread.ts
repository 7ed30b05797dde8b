// The client side of the store's threads.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Log } from '../../platform/log.ts'
import { noteNativeCall } from '../../platform/native-calls.ts'
import type { BackupTask } from './backup-tasks.ts'
import { CallQueue, reviveError } from './call-queue.ts'
import type { FromThread, ThreadData, ToThread } from './messages.ts'
import type { Restored } from './restore.ts'
import { StoreError } from './store-error.ts'

// The built app starts a thread from the file beside its chunk; the sources from the source file.
const WORKER = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './store-worker.js', import.meta.url)

/**
 * Calls per message. The writer commits a batch in one transaction; its first call must not wait long for the last. A read
 * does not wait for others.
 */
const MAX_BATCH = { writer: 500, reader: 1 }

export interface Thread {
  /** The backup that the thread restored when it started. */
  readonly restored: Restored | null
  /**
   * Resolves with the operation's result; the caller states its type. Rejects with a StoreError. `mayWait`: for other calls
   * to share its commit with.
   */
  call<T>(op: string, args: unknown[], mayWait?: boolean): Promise<T>
  /** Calls the function `run` of a module with `data` in the thread. */
  run(module: URL, data: unknown): void
  /** Lets the thread finish all earlier calls, and waits for its end. */
  close(): Promise<void>
}

export interface ThreadOptions {
  role: 'writer' | 'reader'
  dataDir: string
  version?: string | undefined
  log: Log
  /** The thread ended unexpectedly, or found the database damaged. */
  onFatal(error: StoreError): void
}

/** Starts a thread that runs operations. Rejects with a StoreError when it cannot open the database. */
export async function startThread({ log, onFatal, ...data }: ThreadOptions): Promise<Thread> {
  const { role } = data
  const worker = startWorker(data)
  const post = (message: ToThread) => worker.postMessage(message)
  const queue = new CallQueue(MAX_BATCH[role], post)
  let closing = false
  let ended: StoreError | null = null

  const restored = await new Promise<Restored | null>((resolve, reject) => {
    let started = false
    const end = (error: StoreError) => {
      if (ended) return
      ended = error
      queue.rejectAll(error)
      reject(error)
      if (started && !closing) onFatal(error)
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
    run: ({ href }, data) => post({ module: href, data }),
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
 * Runs a task in its own thread, which `signal` terminates. Resolves with the result, whose type the caller states;
 * rejects with a StoreError. An aborted thread may go on until the end of a native call, such as the check of a large file;
 * this rejects without waiting for it.
 */
export function backupInThread<T>(dataDir: string, task: BackupTask, signal?: AbortSignal): Promise<T>
export async function backupInThread(
  dataDir: string,
  task: BackupTask,
  signal?: AbortSignal,
): Promise<unknown> {
  if (signal?.aborted) throw abortedBackup()
  const worker = startWorker({ role: 'backup', dataDir, task })
  let outcome: FromThread | null = null
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
  return resultOf(outcome)
}

function abortedBackup(): StoreError {
  return new StoreError('closed', 'The backup was aborted, because Tollgate is stopping.')
}

function resultOf(outcome: FromThread | null): unknown {
  if (outcome?.type === 'done') return outcome.value
  throw outcome?.type === 'refused' ? reviveError(outcome.error) : threadDied('backup')
}

function startWorker(data: ThreadData): Worker {
  return new Worker(WORKER, { workerData: data, name: `store ${data.role}` })
}

function threadDied(role: ThreadData['role'], cause?: unknown): StoreError {
  const reason = cause === undefined ? 'has ended' : `failed: ${String(cause)}`
  return new StoreError('closed', `The ${role} thread of the store ${reason}.`, { cause })
}
