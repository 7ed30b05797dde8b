// Owns the rows of providers as values: fresh ones, changed ones. Pure; `providers.ts` keeps them.
import { placeOf } from '../../shared/hosts.ts'
import { ProviderId, type ProviderPut } from '../../shared/providers.ts'
import { invalidRequest } from '../platform/errors.ts'
import type { StoredProvider } from '../store/store.ts'
import type { KnownProvider } from './known-providers.ts'
import { splitHeaders } from './secret-headers.ts'

export const DEFAULT_PRIORITY = 100

/** Milliseconds, where the user sets no others. A reasoning model may think for minutes before its first byte. */
export const DEFAULT_TIMEOUTS = {
  connectTimeoutMs: 10_000,
  firstByteTimeoutMs: 300_000,
  stallTimeoutMs: 120_000,
  totalTimeoutMs: 3_600_000,
}
type Timeouts = typeof DEFAULT_TIMEOUTS

export function timeoutsOf(row: StoredProvider): Timeouts {
  return {
    connectTimeoutMs: row.connectTimeoutMs ?? DEFAULT_TIMEOUTS.connectTimeoutMs,
    firstByteTimeoutMs: row.firstByteTimeoutMs ?? DEFAULT_TIMEOUTS.firstByteTimeoutMs,
    stallTimeoutMs: row.stallTimeoutMs ?? DEFAULT_TIMEOUTS.stallTimeoutMs,
    totalTimeoutMs: row.totalTimeoutMs ?? DEFAULT_TIMEOUTS.totalTimeoutMs,
  }
}

/**
 * The row as the patch wants it; absent members stay as they are. Credentials are not in the row, nor are the values
 * of headers that carry one.
 */
export function changed(row: StoredProvider, patch: ProviderPut): StoredProvider {
  const headers = patch.headers && splitHeaders(patch.headers)
  return {
    ...row,
    name: patch.name ?? row.name,
    apiFormat: patch.apiFormat ?? row.apiFormat,
    baseUrl: patch.baseUrl === undefined ? row.baseUrl : patch.baseUrl.replace(/\/+$/, ''),
    enabled: patch.enabled ?? row.enabled,
    priority: patch.priority ?? row.priority,
    connectTimeoutMs: patch.connectTimeoutMs ?? row.connectTimeoutMs,
    firstByteTimeoutMs: patch.firstByteTimeoutMs ?? row.firstByteTimeoutMs,
    stallTimeoutMs: patch.stallTimeoutMs ?? row.stallTimeoutMs,
    totalTimeoutMs: patch.totalTimeoutMs ?? row.totalTimeoutMs,
    headers: headers ? { ...headers.plain } : row.headers,
    secretHeaders: headers ? Object.keys(headers.secret) : row.secretHeaders,
  }
}

export function refuseOddId(id: string): void {
  const parsed = ProviderId.safeParse(id)
  if (!parsed.success) {
    throw invalidRequest(`The id of a provider ${parsed.error.issues[0]?.message}.`, { param: 'id' })
  }
}

/** What the patch says of credentials; null when nothing. Throws 400 when it says two things, or one secret twice. */
export function wantedCredentials({ credential, credentials }: ProviderPut): readonly string[] | null {
  if (credentials === undefined) {
    return credential === undefined ? null : credential === null ? [] : [credential]
  }
  if (credential !== undefined) {
    throw invalidRequest('Give "credential" or "credentials", not both.', { param: 'credentials' })
  }
  if (new Set(credentials).size < credentials.length) {
    throw invalidRequest('"credentials" has the same credential twice.', { param: 'credentials' })
  }
  return credentials
}

/**
 * A credential on plain http can be read and changed by everybody on the way, so it stays on this machine and in
 * private networks, unless the user says that the rest is wanted too. Only a change that has to do with it is refused.
 */
export function refuseInsecure(
  { baseUrl, credentialCount, secretHeaders }: StoredProvider,
  patch: ProviderPut,
): void {
  const touched = (['baseUrl', 'credential', 'credentials', 'headers'] as const).some(
    (field) => patch[field] !== undefined,
  )
  if (!touched || patch.allowInsecureHttp || baseUrl === null || !baseUrl.startsWith('http:')) return
  if (
    (credentialCount === 0 && secretHeaders.length === 0) ||
    placeOf(new URL(baseUrl).hostname) !== 'public'
  )
    return
  throw invalidRequest(
    'This address is not encrypted (http), and outside of the local network everybody on the way could read the credential. Use an https address, or send "allowInsecureHttp": true to send the credential all the same.',
    { param: 'baseUrl', code: 'insecure_http' },
  )
}

export function blankRow(id: string, createdAt: number): StoredProvider {
  return {
    id,
    name: id,
    apiFormat: 'openai-chat',
    baseUrl: null,
    enabled: true,
    priority: DEFAULT_PRIORITY,
    connectTimeoutMs: null,
    firstByteTimeoutMs: null,
    stallTimeoutMs: null,
    totalTimeoutMs: null,
    headers: {},
    secretHeaders: [],
    credentialCount: 0,
    modelsFetchedAt: null,
    createdAt,
  }
}

export function fresh(
  id: string,
  known: KnownProvider | null,
  patch: ProviderPut,
  now: number,
): StoredProvider {
  const apiFormat = patch.apiFormat ?? known?.apiFormat
  const baseUrl = patch.baseUrl ?? known?.baseUrl
  if (apiFormat === undefined)
    throw invalidRequest('"apiFormat" is required for a provider that is not a known one.', {
      param: 'apiFormat',
    })
  if (baseUrl === undefined) {
    throw invalidRequest('"baseUrl" is required for a provider that is not a known one.', {
      param: 'baseUrl',
    })
  }
  return { ...blankRow(id, now), name: known?.name ?? id, apiFormat, baseUrl }
}

export function refuseSandboxChange(patch: ProviderPut): void {
  const fixed = (['apiFormat', 'baseUrl', 'credential', 'credentials', 'headers', 'name'] as const).find(
    (field) => patch[field] !== undefined,
  )
  if (fixed)
    throw invalidRequest('The sandbox is built in: it can be turned on or off, and its priority set.', {
      param: fixed,
    })
}
