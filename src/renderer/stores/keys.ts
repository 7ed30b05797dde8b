// Owns the window's view of the API keys. A new key's secret lives here, in memory, until the window closes.
import { create } from 'zustand'
import type { KeyCreate, KeyCreated, KeyMetadata, KeyUpdate } from '../../shared/keys.ts'
import { api } from '../api.ts'
import { type Loaded, load, notLoaded } from './loaded.ts'

interface KeysStore extends Loaded {
  keys: KeyMetadata[]
  /** Secrets of keys made since the window opened, by key id: for snippets ready to paste. */
  secrets: Readonly<Record<string, string>>
  refresh(): Promise<void>
  createKey(input: KeyCreate): Promise<KeyCreated>
  updateKey(id: string, change: KeyUpdate): Promise<void>
  revokeKey(id: string): Promise<void>
  put(key: KeyMetadata): void
}

export const useKeys = create<KeysStore>()((set, get) => ({
  ...notLoaded,
  keys: [],
  secrets: {},
  refresh: () =>
    load<KeysStore>(set, get, async () => ({ keys: (await api('listKeys')).data.toSorted(byAge) })),
  async createKey(input) {
    const created = await api('createKey', { body: input })
    set({ secrets: { ...get().secrets, [created.id]: created.secret } })
    await get().refresh()
    return created
  },
  async updateKey(id, change) {
    get().put(await api('updateKey', { params: { id }, body: change }))
  },
  async revokeKey(id) {
    get().put(await api('revokeKey', { params: { id } }))
  },
  put(key) {
    set({ keys: [...get().keys.filter((other) => other.id !== key.id), key].toSorted(byAge) })
  },
}))

function byAge(a: KeyMetadata, b: KeyMetadata): number {
  return b.createdAt.localeCompare(a.createdAt) || a.id.localeCompare(b.id)
}
