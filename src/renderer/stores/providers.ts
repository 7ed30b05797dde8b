// Owns the window's view of the providers. A credential passes through on its way in and is kept nowhere here.
import { create } from 'zustand'
import type { ProviderPut, ProviderRecord, ProviderTest } from '../../shared/providers.ts'
import { api } from '../api.ts'
import { toApiError } from '../api-error.ts'
import { type Loaded, load, notLoaded } from './loaded.ts'
import { useModels } from './models.ts'

/** What became of the last test of a provider. */
type TestOutcome = { state: 'running' } | ({ state: 'done' } & ProviderTest)

interface ProvidersStore extends Loaded {
  providers: ProviderRecord[]
  tests: Readonly<Record<string, TestOutcome>>
  refresh(): Promise<void>
  putProvider(id: string, change: ProviderPut): Promise<void>
  /** Sets a known provider up with the credential that the gateway finds in its environment. */
  importProvider(id: string): Promise<void>
  removeProvider(id: string): Promise<void>
  testProvider(id: string): Promise<ProviderTest>
  /** Reads the provider's own model list; resolves to how many models it has. */
  fetchModels(id: string): Promise<number>
}

export const useProviders = create<ProvidersStore>()((set, get) => ({
  ...notLoaded,
  providers: [],
  tests: {},
  refresh: () =>
    load<ProvidersStore>(set, get, async () => ({ providers: (await api('listProviders')).data })),
  async putProvider(id, change) {
    await api('putProvider', { params: { id }, body: change })
    await afterChange(get)
  },
  async importProvider(id) {
    await api('importProvider', { params: { id } })
    await afterChange(get)
  },
  async removeProvider(id) {
    await api('deleteProvider', { params: { id } })
    const { [id]: _, ...tests } = get().tests
    set({ tests })
    await afterChange(get)
  },
  async testProvider(id) {
    set({ tests: { ...get().tests, [id]: { state: 'running' } } })
    const result = await api('testProvider', { params: { id } }).catch(
      (thrown: unknown): ProviderTest => ({
        ok: false,
        latencyMs: 0,
        modelCount: 0,
        error: toApiError(thrown).message,
      }),
    )
    set({ tests: { ...get().tests, [id]: { state: 'done', ...result } } })
    await afterChange(get)
    return result
  },
  async fetchModels(id) {
    const { data } = await api('fetchProviderModels', { params: { id } })
    await afterChange(get)
    return data.length
  },
}))

async function afterChange(get: () => ProvidersStore): Promise<void> {
  await Promise.all([get().refresh(), useModels.getState().refresh()])
}
