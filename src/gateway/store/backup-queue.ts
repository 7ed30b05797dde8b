// Owns the order of what is done with backups while the store is open: one change after the other, so that none is
// removed while it is being marked. Knows nothing of files.
import { removeUnfinished } from './backup.ts'
import type { RestoreRefusal, StoredBackup, StoredBackups } from './backup-tasks.ts'
import { backupInThread } from './thread.ts'

export class BackupQueue {
  readonly #dataDir: string
  #making: Promise<StoredBackup> | null = null
  #last: Promise<unknown> = Promise.resolve()
  #breaking = new AbortController()

  constructor(dataDir: string) {
    this.#dataDir = dataDir
  }

  /** Whoever asks while one is being made gets that one. */
  make(): Promise<StoredBackup> {
    const { signal } = this.#breaking
    this.#making ??= this.#after(() =>
      backupInThread<StoredBackup>(this.#dataDir, { do: 'make' }, signal).finally(() => {
        this.#making = null
      }),
    )
    return this.#making
  }

  list(): Promise<StoredBackups> {
    return backupInThread(this.#dataDir, { do: 'list' })
  }

  mark(id: string): Promise<StoredBackups | RestoreRefusal> {
    return this.#after(() => backupInThread(this.#dataDir, { do: 'mark', id }))
  }

  unmark(id: string): Promise<StoredBackups | RestoreRefusal> {
    return this.#after(() => backupInThread(this.#dataDir, { do: 'unmark', id }))
  }

  /** Breaks off the making of a backup. Resolves when all that was asked before is done. */
  async breakOff(): Promise<void> {
    this.#breaking.abort()
    this.#breaking = new AbortController()
    await this.#last
    removeUnfinished(this.#dataDir)
  }

  #after<T>(task: () => Promise<T>): Promise<T> {
    const done = this.#last.then(task)
    this.#last = done.catch(() => undefined)
    return done
  }
}
