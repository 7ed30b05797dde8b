import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { ActivityActor } from '../../../shared/api/activity.ts'
import { removeUnfinished } from './backup.ts'
import {
  createUpload,
  type ImportRefusal,
  type RestoreRefusal,
  removeUpload,
  type StoredBackup,
  type StoredBackups,
} from './backup-tasks.ts'
import { backupDir } from './files.ts'
import { StoreError, toStoreError } from './store-error.ts'
import { backupInThread } from './thread.ts'

/** Runs the tasks that change backups one after another, so that none is removed while its restore is scheduled. */
export class BackupQueue {
  readonly #dataDir: string
  #making: Promise<StoredBackup> | null = null
  #importing: Promise<unknown> = Promise.resolve()
  #last: Promise<unknown> = Promise.resolve()
  #aborting = new AbortController()

  constructor(dataDir: string) {
    this.#dataDir = dataDir
    removeLeftovers(dataDir)
  }

  /** A call while a backup is being written returns that backup. */
  create(): Promise<StoredBackup> {
    const { signal } = this.#aborting
    this.#making ??= this.#after(() =>
      backupInThread<StoredBackup>(this.#dataDir, { do: 'create' }, signal).finally(() => {
        this.#making = null
      }),
    )
    return this.#making
  }

  list(): Promise<StoredBackups> {
    return backupInThread(this.#dataDir, { do: 'list' })
  }

  /** The path of a backup; null for an unknown one. The id is only compared with the existing ones. */
  async getPath(id: string): Promise<string | null> {
    const { backups } = await this.list()
    return backups.some((each) => each.id === id) ? join(backupDir(this.#dataDir), id) : null
  }

  /** Writes the chunks to a file, checks it, and adds it to the backups: one file after another. */
  import(chunks: AsyncIterable<Uint8Array>): Promise<StoredBackup | ImportRefusal> {
    const { signal } = this.#aborting
    const done = this.#importing.then(() => this.#import(chunks, signal))
    this.#importing = done.catch(() => undefined)
    return done
  }

  async #import(
    chunks: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<StoredBackup | ImportRefusal> {
    if (signal.aborted) throw new StoreError('closed', 'The store is closed.')
    try {
      await upload(createUpload(this.#dataDir), chunks, signal)
      return await this.#after(() => backupInThread(this.#dataDir, { do: 'import' }, signal))
    } finally {
      removeUpload(this.#dataDir)
    }
  }

  scheduleRestore(id: string, by?: ActivityActor): Promise<StoredBackups | RestoreRefusal> {
    return this.#after(() => backupInThread(this.#dataDir, { do: 'scheduleRestore', id, by }))
  }

  cancelRestore(id: string): Promise<StoredBackups | RestoreRefusal> {
    return this.#after(() => backupInThread(this.#dataDir, { do: 'cancelRestore', id }))
  }

  /** Aborts the writing and the import of backups. Resolves when no task changes backups any more. */
  async abort(): Promise<void> {
    this.#aborting.abort()
    this.#aborting = new AbortController()
    await this.#importing
    await this.#last
    removeLeftovers(this.#dataDir)
  }

  #after<T>(task: () => Promise<T>): Promise<T> {
    const done = this.#last.then(task)
    this.#last = done.catch(() => undefined)
    return done
  }
}

/**
 * Removes the leftovers of an aborted task. If a thread that is ending has a file open, it may stay until the next start.
 */
function removeLeftovers(dataDir: string): void {
  for (const remove of [removeUnfinished, removeUpload]) {
    try {
      remove(dataDir)
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
