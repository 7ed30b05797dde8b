// Owns the window's view of the models that can be served now, and what the user says of them.
import { create } from 'zustand'
import type { ModelOverride, ModelRecord } from '../../shared/models.ts'
import { api } from '../api.ts'
import { type Loaded, load, notLoaded } from './loaded.ts'

interface ModelsStore extends Loaded {
  models: ModelRecord[]
  refresh(): Promise<void>
  /** Puts `override` in the place of any earlier one. */
  putModel(id: string, override: ModelOverride): Promise<void>
  dropOverride(id: string): Promise<void>
}

export const useModels = create<ModelsStore>()((set, get) => ({
  ...notLoaded,
  models: [],
  refresh: () => load<ModelsStore>(set, get, async () => ({ models: (await api('listModels')).data })),
  async putModel(id, override) {
    await api('putModel', { params: { id }, body: override })
    await get().refresh()
  },
  async dropOverride(id) {
    await api('deleteModel', { params: { id } })
    await get().refresh()
  },
}))
