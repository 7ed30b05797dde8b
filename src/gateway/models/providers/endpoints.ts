import { usesMachineLogin } from '../../../shared/authorization.ts'
import type { ApiFormat, ProviderPut } from '../../../shared/providers.ts'
import { DEFAULT_PATHS, type PassThroughPaths } from '../../formats/chat/pass-through.ts'
import type { Endpoint } from '../../formats/chat/target.ts'
import type { StoredProvider } from '../../store/store.ts'
import type { Credentials, ProviderSecrets } from './credentials.ts'
import type { KnownProvider } from './known-provider.ts'
import { knownProvider } from './known-providers.ts'
import { authorizationOf, timeoutsOf } from './rows.ts'
import { needsCredential } from './views.ts'

/** What a provider's row and its vendor say about its endpoint; its secrets are not in the row. */
export function endpointOf(row: StoredProvider): Omit<Endpoint, 'headers'> {
  const known = knownProvider(row.id)
  return {
    providerId: row.id,
    apiFormat: row.apiFormat,
    baseUrl: row.baseUrl ?? '',
    otherFormats: otherFormatsOf(row, known),
    completions: row.apiFormat === known?.apiFormat ? (known.completions ?? null) : null,
    quirks: known?.quirks ?? {},
    passThroughPaths: passThroughPathsOf(row, known),
    hosting: known?.hosting ?? null,
    modelsPath: row.baseUrl === known?.baseUrl ? known?.modelsPath : undefined,
    authorization: authorizationOf(row),
    network: row.network,
    needsCredential: usedCredentials(row) > 0 || needsCredential(row),
    ...timeoutsOf(row),
  }
}

/** How many stored credentials are used; none where a login of this machine is. */
export function usedCredentials(row: StoredProvider): number {
  return usesMachineLogin(authorizationOf(row)) ? 0 : row.credentialCount
}

/** Of a server that is not known, only its API format is: it may serve all that OpenAI does. */
function passThroughPathsOf(
  { apiFormat, baseUrl }: StoredProvider,
  known: KnownProvider | null,
): PassThroughPaths {
  if (!known) return apiFormat.startsWith('openai-') ? DEFAULT_PATHS : {}
  const paths = known.passThrough ?? {}
  if (baseUrl === null || baseUrl === known.baseUrl) return paths
  // A URL of the vendor's own must not be sent the credential of another address.
  return Object.fromEntries(Object.entries(paths).filter(([, path]) => path.startsWith('/')))
}

/** Not those of the known provider's own address if another server has its id. */
function otherFormatsOf(row: StoredProvider, known: KnownProvider | null): readonly ApiFormat[] {
  const isAtAddress = known?.address !== undefined || row.baseUrl === known?.baseUrl
  return isAtAddress && row.apiFormat === known?.apiFormat ? (known.otherFormats ?? []) : []
}

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
