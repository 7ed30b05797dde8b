import { removeUnfinished } from './backup.ts'
import type { RestoreRefusal, StoredBackup, StoredBackups } from './backup-tasks.ts'
import { backupInThread } from './thread.ts'

/** Runs the tasks that change backups one after another, so that none is removed while its restore is scheduled. */
export class BackupQueue {
  readonly #dataDir: string
  #making: Promise<StoredBackup> | null = null
  #last: Promise<unknown> = Promise.resolve()
  #aborting = new AbortController()

  constructor(dataDir: string) {
    this.#dataDir = dataDir
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

  scheduleRestore(id: string): Promise<StoredBackups | RestoreRefusal> {
    return this.#after(() => backupInThread(this.#dataDir, { do: 'scheduleRestore', id }))
  }

  cancelRestore(id: string): Promise<StoredBackups | RestoreRefusal> {
    return this.#after(() => backupInThread(this.#dataDir, { do: 'cancelRestore', id }))
  }

  /** Aborts the writing of a backup. Resolves when all earlier tasks are done. */
  async abort(): Promise<void> {
    this.#aborting.abort()
    this.#aborting = new AbortController()
    await this.#last
    removeUnfinished(this.#dataDir)
  }

  #after<T>(task: () => Promise<T>): Promise<T> {
    const done = this.#last.then(task)
    this.#last = done.catch(() => undefined)
    return done
  }
}
