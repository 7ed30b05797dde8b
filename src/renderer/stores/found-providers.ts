// Owns what the gateway finds on this computer that could be set up: local servers, credentials in the environment.
// Nothing is looked for until a view asks.
import { create } from 'zustand'
import type { EnvironmentCredential, LocalServer } from '../../shared/providers.ts'
import { api } from '../api.ts'
import { type ApiError, toApiError } from '../api-error.ts'

interface FoundProvidersStore {
  servers: LocalServer[]
  serversError: ApiError | null
  credentials: EnvironmentCredential[]
  credentialsError: ApiError | null
  /** Looks at both places; each arrives, or fails, by itself. What an earlier look found stays until then. */
  look(): Promise<void>
}

export const useFoundProviders = create<FoundProvidersStore>()((set) => ({
  servers: [],
  serversError: null,
  credentials: [],
  credentialsError: null,
  async look() {
    await Promise.all([
      api('discoverProviders').then(
        ({ data }) => set({ servers: data, serversError: null }),
        (thrown: unknown) => set({ servers: [], serversError: toApiError(thrown) }),
      ),
      api('listEnvironmentCredentials').then(
        ({ data }) => set({ credentials: data, credentialsError: null }),
        (thrown: unknown) => set({ credentials: [], credentialsError: toApiError(thrown) }),
      ),
    ])
  },
}))
