import { Worker } from 'node:worker_threads'
import type { ExportPreview } from '../../../shared/reconciliations.ts'
import { invalidRequest } from '../../platform/errors.ts'
import { SerialQueue } from '../../platform/wait.ts'
import type { WorkerAnswer } from './reconcile-worker.ts'
import type { Reconciled, TaskResult, WorkerTask } from './worker-task.ts'

// The built app starts a thread from the file beside its chunk; the sources from the source file.
const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? './reconcile-worker.ts' : './reconcile-worker.js',
  import.meta.url,
)
const LIMIT_MS = 60_000
/** An export of the largest size takes less than half of it. */
const MAX_HEAP_MB = 1_500

/** Reads exports one after another, each in a thread of its own. */
export class ReconcileThread {
  readonly #tasks = new SerialQueue()
  #running: Worker | null = null
  #closed = false

  /** Throws 400 `export_unreadable` for a file that cannot be read. */
  preview(task: Extract<WorkerTask, { kind: 'preview' }>): Promise<ExportPreview>
  async preview(task: WorkerTask): Promise<unknown> {
    return await this.#run(task)
  }

  /** As `preview`. */
  reconcile(task: Extract<WorkerTask, { kind: 'reconcile' }>): Promise<Reconciled>
  async reconcile(task: WorkerTask): Promise<unknown> {
    return await this.#run(task)
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#running?.terminate()
  }

  #run(task: WorkerTask): Promise<TaskResult> {
    return this.#tasks.run(async () => {
      if (this.#closed) throw unreadable('Tollgate is stopping.')
      const { promise, resolve, reject } = Promise.withResolvers<WorkerAnswer>()
      const worker = new Worker(WORKER, {
        workerData: task,
        name: 'reconciliation',
        resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
      })
      this.#running = worker
      const timer = setTimeout(() => void worker.terminate(), LIMIT_MS)
      worker.once('message', resolve)
      worker.once('error', (error) =>
        reject(
          isOutOfMemory(error)
            ? unreadable('The file is too large to be compared. Export a shorter period.')
            : error,
        ),
      )
      worker.once('exit', () =>
        reject(unreadable('Reading the file took too long. Export a shorter period.')),
      )
      try {
        const answer = await promise
        if ('refused' in answer) throw unreadable(answer.refused)
        return answer.result
      } finally {
        clearTimeout(timer)
        this.#running = null
      }
    })
  }
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
}

function unreadable(message: string) {
  return invalidRequest(message, { code: 'export_unreadable' })
}
