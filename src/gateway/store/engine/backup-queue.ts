import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { SerialQueue } from '../../platform/wait.ts'
import { StoreError, toStoreError } from '../sql/store-error.ts'
import { createUnfinished, removeUnfinished } from './backup.ts'
import type {
  BackupRefusal,
  BackupTaskArgs,
  BackupTaskName,
  RestoreChoice,
  StoredBackup,
  StoredBackups,
} from './backup-tasks.ts'
import { backupInThread } from './thread.ts'

/** Runs the tasks that change backups one after another, so that none is removed while its restore is scheduled. */
export class BackupQueue {
  readonly #dataDir: string
  #making: Promise<StoredBackup> | null = null
  readonly #imports = new SerialQueue()
  readonly #changes = new SerialQueue()
  #aborting = new AbortController()

  constructor(dataDir: string) {
    this.#dataDir = dataDir
    removeLeftovers(dataDir)
  }

  /**
   * Writes a checked copy without stored prompts and answers into `backups/`, which keeps the last 7 unless they are
   * too large. Reads and writes go on meanwhile. A call while a backup is being written returns that backup.
   */
  create(): Promise<StoredBackup> {
    const { signal } = this.#aborting
    this.#making ??= this.#change('create', [], signal).finally(() => {
      this.#making = null
    })
    return this.#making
  }

  list(): Promise<StoredBackups> {
    return backupInThread(this.#dataDir, 'list', [])
  }

  /** The path of a backup's file; null for an unknown one. The id is only compared with the existing ones. */
  async getPath(id: string): Promise<string | null> {
    const { backups } = await this.list()
    return backups.find((each) => each.id === id)?.path ?? null
  }

  /** Writes, checks and adds a backup that the user has as a file. Rejects with the error of `chunks` if that fails. */
  import(chunks: AsyncIterable<Uint8Array>): Promise<StoredBackup | BackupRefusal> {
    const { signal } = this.#aborting
    return this.#imports.run(async () => {
      if (signal.aborted) throw new StoreError('closed', 'The store is closed.')
      try {
        const path = createUnfinished(this.#dataDir, 'uploaded')
        await upload(path, chunks, signal)
        return await this.#change('import', [path], signal)
      } finally {
        removeUnfinished(this.#dataDir, 'uploaded')
      }
    })
  }

  /** Checks a backup and schedules its restore for the next start. */
  scheduleRestore(id: string, choice: RestoreChoice = {}): Promise<StoredBackups | BackupRefusal> {
    return this.#change('scheduleRestore', [id, choice])
  }

  /** Cancels the pending restore, if it is of this backup. */
  cancelRestore(id: string): Promise<StoredBackups | BackupRefusal> {
    return this.#change('cancelRestore', [id])
  }

  /**
   * Aborts the writing and the import of backups, whose promises reject with a StoreError. Resolves when no task changes
   * backups any more.
   */
  async abort(): Promise<void> {
    this.#aborting.abort()
    this.#aborting = new AbortController()
    await this.#imports.idle()
    await this.#changes.idle()
    removeLeftovers(this.#dataDir)
  }

  #change<K extends BackupTaskName>(task: K, args: BackupTaskArgs<K>, signal?: AbortSignal) {
    return this.#changes.run(() => backupInThread(this.#dataDir, task, args, signal))
  }
}

/**
 * Removes the leftovers of an aborted task. If a thread that is ending has a file open, it may stay until the next start.
 */
function removeLeftovers(dataDir: string): void {
  for (const name of ['unfinished', 'uploaded'] as const) {
    try {
      removeUnfinished(dataDir, name)
    } catch {
      // The next task of its kind replaces it, too.
    }
  }
}

async function upload(path: string, chunks: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void> {
  const file = createWriteStream(path, { flags: 'r+', flush: true })
  await pipeline(chunks, file, { signal }).catch((thrown: unknown) => {
    if (signal.aborted) throw new StoreError('closed', 'The store is closed.')
    // A code is that of a failed system call. Other errors are those of the chunks, which the caller knows.
    throw isSystemError(thrown) ? toStoreError(thrown) : thrown
  })
}

function isSystemError(thrown: unknown): boolean {
  return thrown instanceof Error && 'syscall' in thrown
}
