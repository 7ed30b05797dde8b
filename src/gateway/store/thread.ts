// The client side of the store's threads.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Log } from '../platform/log.ts'
import type { BackupTask } from './backup-tasks.ts'
import type { FromThread, Reply, ThreadData, ToThread } from './messages.ts'
import type { Restored } from './restore.ts'
import { StoreError, type StoreErrorData } from './store-error.ts'

// The built app starts a thread from the file beside its chunk; the sources from the source file.
const WORKER = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './store-worker.js', import.meta.url)

export interface Thread {
  /** The backup that the thread restored when it started. */
  readonly restored: Restored | null
  /** Resolves with the operation's result; the caller states its type. Rejects with a StoreError. */
  call<T>(op: string, args: unknown[]): Promise<T>
  /** Lets the thread finish all earlier calls, and waits for its end. */
  close(): Promise<void>
}

export interface ThreadOptions {
  role: 'writer' | 'reader'
  dataDir: string
  log: Log
  /** The thread ended unexpectedly, or found the database damaged. */
  onFatal(error: StoreError): void
}

interface PendingCall {
  // A method, not a property: TypeScript compares its parameter bivariantly, and the operation decides the value's type.
  resolve(value: unknown): void
  reject(error: StoreError): void
}

/** Starts a thread that runs operations. Rejects with a StoreError when it cannot open the database. */
export async function startThread({ role, dataDir, log, onFatal }: ThreadOptions): Promise<Thread> {
  const worker = startWorker({ role, dataDir })
  const pending = new Map<number, PendingCall>()
  let lastId = 0
  let closing = false
  let ended: StoreError | null = null

  const settle = (reply: Reply) => {
    const call = pending.get(reply.id)
    pending.delete(reply.id)
    if ('value' in reply) return call?.resolve(reply.value)
    const error = revive(reply.error)
    call?.reject(error)
    if (error.code === 'corrupt') onFatal(error)
  }

  const restored = await new Promise<Restored | null>((resolve, reject) => {
    let started = false
    const end = (error: StoreError) => {
      if (ended) return
      ended = error
      for (const call of pending.values()) call.reject(error)
      pending.clear()
      reject(error)
      if (started && !closing) onFatal(error)
    }
    worker.on('message', (message: FromThread) => {
      switch (message.type) {
        case 'ready':
          started = true
          return resolve(message.restored)
        case 'refused':
          return end(revive(message.error))
        case 'log':
          return log[message.level](message.message, message.fields)
        case 'replies':
          return message.replies.forEach(settle)
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
    call<T>(op: string, args: unknown[]) {
      return new Promise<T>((resolve, reject) => {
        if (ended || closing) return reject(ended ?? new StoreError('closed', 'The store is closed.'))
        lastId += 1
        const message: ToThread = { id: lastId, op, args }
        worker.postMessage(message)
        pending.set(lastId, { resolve, reject })
      })
    },
    async close() {
      if (ended || closing) return
      closing = true
      const exit = new Promise((resolve) => worker.once('exit', resolve))
      const message: ToThread = 'close'
      worker.postMessage(message)
      await exit
    },
  }
}

/**
 * Runs a task in its own thread, which `signal` terminates. Resolves with the result, whose type the caller states;
 * rejects with a StoreError.
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
  const end = () => void worker.terminate()
  signal?.addEventListener('abort', end)
  await once(worker, 'exit')
  signal?.removeEventListener('abort', end)
  if (outcome === null && signal?.aborted) throw abortedBackup()
  return resultOf(outcome)
}

function abortedBackup(): StoreError {
  return new StoreError('closed', 'The backup was aborted, because Tollgate is stopping.')
}

function resultOf(outcome: FromThread | null): unknown {
  if (outcome?.type === 'done') return outcome.value
  throw outcome?.type === 'refused' ? revive(outcome.error) : threadDied('backup')
}

function startWorker(data: ThreadData): Worker {
  return new Worker(WORKER, { workerData: data, name: `store ${data.role}` })
}

function revive({ code, message }: StoreErrorData): StoreError {
  return new StoreError(code, message)
}

function threadDied(role: ThreadData['role'], cause?: unknown): StoreError {
  const reason = cause === undefined ? 'has ended' : `failed: ${String(cause)}`
  return new StoreError('closed', `The ${role} thread of the store ${reason}.`, { cause })
}
