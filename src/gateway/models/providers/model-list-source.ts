import type { ProviderPut } from '../../../shared/providers.ts'
import type { Endpoint } from '../../formats/chat/target.ts'
import type { StoredProvider } from '../../store/store.ts'
import type { Credentials } from './credentials.ts'
import { endpointOf, usedCredentials } from './endpoints.ts'
import type { ProviderSecrets } from './secrets.ts'

/** What it takes to read the list of a provider's models, stored or not yet. */
export interface ModelListSource {
  row: StoredProvider
  endpoint: Endpoint
  /** The indexes of the credentials in the order to use them. */
  credentialOrder: readonly number[]
  /** Null if the provider has none. Throws UpstreamFailure when it cannot be read. */
  credential(index: number): string | null | Promise<string | null>
}

interface Draft {
  /** The provider with the patch applied. */
  row: StoredProvider
  patch: ProviderPut
  /** Null: those that are stored. */
  newCredentials: readonly string[] | null
}

export function draftSource(
  { row, patch, newCredentials }: Draft,
  secrets: ProviderSecrets,
  credentials: Credentials,
): ModelListSource {
  const count = usedCredentials(row)
  return {
    row,
    endpoint: { ...endpointOf(row), headers: patch.headers ?? secrets.headersOf(row) },
    credentialOrder: newCredentials ? [...newCredentials.keys()] : credentials.order(row.id, count),
    credential: async (index) => {
      if (!patch.headers) await secrets.loadHeaders(row)
      return newCredentials ? (newCredentials[index] ?? null) : await credentials.read(row.id, index, count)
    },
  }
}
