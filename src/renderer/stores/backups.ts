// Owns the window's view of the copies of the database. Nothing is asked for until a view shows them.
import { create } from 'zustand'
import type { Backup } from '../../shared/account.ts'
import { api } from '../api.ts'
import { type Loaded, load, notLoaded } from './loaded.ts'

interface BackupsStore extends Loaded {
  /** Newest first. */
  backups: Backup[]
  /** The one that takes the database's place at the next start; null for none. */
  restoreAtStart: string | null
  refresh(): Promise<void>
  /** Copies the database now. Throws ApiError. */
  createBackup(): Promise<Backup>
  /** Has a backup take the database's place at the next start. Throws ApiError. */
  restoreBackup(id: string): Promise<void>
  /** Throws ApiError. */
  cancelRestore(id: string): Promise<void>
}

export const useBackups = create<BackupsStore>()((set, get) => ({
  ...notLoaded,
  backups: [],
  restoreAtStart: null,
  refresh: () =>
    load<BackupsStore>(set, get, async () => {
      const { data, restoreAtStart } = await api('listBackups')
      return { backups: data, restoreAtStart }
    }),
  async createBackup() {
    const made = await api('createBackup')
    await get().refresh()
    return made
  },
  async restoreBackup(id) {
    const { data, restoreAtStart } = await api('restoreBackup', { params: { id } })
    set({ backups: data, restoreAtStart })
  },
  async cancelRestore(id) {
    const { data, restoreAtStart } = await api('cancelRestore', { params: { id } })
    set({ backups: data, restoreAtStart })
  },
}))
