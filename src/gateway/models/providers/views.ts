import type { Authorization } from '../../../shared/authorization.ts'
import type { ProviderFormat, ProviderRecord } from '../../../shared/providers.ts'
import { getCodec } from '../../formats/codecs.ts'
import type { StoredProvider } from '../../store/store.ts'
import type { CircuitBreakers } from '../../upstream/circuit-breaker.ts'
import type { KnownProvider } from './known-provider.ts'
import { knownProvider } from './known-providers.ts'
import {
  authorizationOf,
  DEFAULT_PRIORITY,
  DEFAULT_TIMEOUTS,
  isLocal,
  needsCredential,
  timeoutsOf,
} from './rows.ts'

interface ProviderState {
  enabled: boolean
  breaker: ReturnType<CircuitBreakers['state']>
  modelCount: number
}

/** The API's record of a configured provider. It never contains a secret. */
export function toRecord(
  row: StoredProvider,
  { enabled, breaker, modelCount }: ProviderState,
): ProviderRecord {
  const known = knownProvider(row.id)
  const missing = needsCredential(row) && row.credentialCount === 0
  return {
    id: row.id,
    name: row.name,
    apiFormat: row.apiFormat,
    baseUrl: row.baseUrl,
    configured: true,
    enabled,
    hasCredential: row.credentialCount > 0,
    credentialCount: row.credentialCount,
    needsCredential: needsCredential(row),
    authorization: authorizationOf(row) ?? defaultOf(row.apiFormat),
    authorizations: choicesOf(known),
    address: known?.address ?? null,
    local: isLocal(row),
    priority: row.priority,
    ...timeoutsOf(row),
    network: row.network,
    headerNames: [...Object.keys(row.headers), ...row.secretHeaders],
    modelCount,
    modelsFetchedAt: row.modelsFetchedAt === null ? null : new Date(row.modelsFetchedAt).toISOString(),
    consoleUrl: known?.consoleUrl ?? null,
    health: {
      state: !enabled ? 'off' : missing ? 'no-credential' : breaker.state === 'closed' ? 'ready' : 'resting',
      until: breaker.until === null ? null : new Date(breaker.until).toISOString(),
      lastError: breaker.lastError,
      lastErrorAt: breaker.lastErrorAt === null ? null : new Date(breaker.lastErrorAt).toISOString(),
    },
  }
}

/** The API's record of a known provider that the user has not configured. */
export function toUnconfiguredRecord(known: KnownProvider): ProviderRecord {
  return {
    id: known.id,
    name: known.name,
    apiFormat: known.apiFormat,
    baseUrl: known.address ? null : known.baseUrl,
    configured: false,
    enabled: false,
    hasCredential: false,
    credentialCount: 0,
    needsCredential: known.needsCredential,
    authorization: known.authorizations?.[0] ?? defaultOf(known.apiFormat),
    authorizations: choicesOf(known),
    address: known.address ?? null,
    local: known.local ?? false,
    priority: DEFAULT_PRIORITY,
    ...DEFAULT_TIMEOUTS,
    network: null,
    headerNames: [],
    modelCount: 0,
    modelsFetchedAt: null,
    consoleUrl: known.consoleUrl ?? null,
    health: { state: 'off', until: null, lastError: null, lastErrorAt: null },
  }
}

function defaultOf(apiFormat: ProviderFormat): Authorization | null {
  return apiFormat === 'sandbox' ? null : getCodec(apiFormat).authorization
}

function choicesOf(known: KnownProvider | null): Authorization[] {
  const accepted = known?.authorizations ?? []
  return accepted.length > 1 ? [...accepted] : []
}
