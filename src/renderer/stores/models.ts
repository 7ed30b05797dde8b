// Owns the window's view of the models that can be served now.
import { create } from 'zustand'
import type { ModelRecord } from '../../shared/models.ts'
import { api } from '../api.ts'
import { type Loaded, load, notLoaded } from './loaded.ts'

interface ModelsStore extends Loaded {
  models: ModelRecord[]
  refresh(): Promise<void>
}

export const useModels = create<ModelsStore>()((set, get) => ({
  ...notLoaded,
  models: [],
  refresh: () => load<ModelsStore>(set, get, async () => ({ models: (await api('listModels')).data })),
}))
