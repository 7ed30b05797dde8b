import { type Authorization, usesMachineLogin } from '../../../shared/api/authorization.ts'
import {
  type ApiFormat,
  MAX_CREDENTIAL_BYTES,
  ProviderId,
  type ProviderPut,
  ProviderRecord,
} from '../../../shared/api/providers.ts'
import { isPlan, SANDBOX_ID } from '../../../shared/api/terms.ts'
import { locateHost } from '../../../shared/values/hosts.ts'
import type { Endpoint } from '../../formats/chat/codec-types.ts'
import { DEFAULT_PATHS, type PassThroughPaths } from '../../formats/chat/pass-through.ts'
import { getCodec } from '../../formats/codecs.ts'
import { formatTime } from '../../platform/clock.ts'
import { invalidRequest } from '../../platform/errors.ts'
import { omitUndefined, pickFields } from '../../platform/fields.ts'
import { createProvider, type StoredProvider } from '../../store/store.ts'
import { shortenServiceAccountKey } from '../../upstream/authorization/google-key.ts'
import type { CircuitBreakers } from '../../upstream/circuit-breaker.ts'
import { parseAccessKey, parseEntraSecret } from '../../upstream/expiring-cache.ts'
import { splitHeaders } from './credentials.ts'
import { findKnownProvider } from './known-providers.ts'
import type { KnownProvider } from './provider-traits.ts'

/** Milliseconds, unless the user sets others. A reasoning model can think for minutes before its first byte. */
const DEFAULT_TIMEOUTS = {
  connectTimeoutMs: 10_000,
  firstByteTimeoutMs: 300_000,
  stallTimeoutMs: 120_000,
  totalTimeoutMs: 3_600_000,
}
type Timeouts = typeof DEFAULT_TIMEOUTS

function readTimeouts(row: StoredProvider): Timeouts {
  return {
    connectTimeoutMs: row.connectTimeoutMs ?? DEFAULT_TIMEOUTS.connectTimeoutMs,
    firstByteTimeoutMs: row.firstByteTimeoutMs ?? DEFAULT_TIMEOUTS.firstByteTimeoutMs,
    stallTimeoutMs: row.stallTimeoutMs ?? DEFAULT_TIMEOUTS.stallTimeoutMs,
    totalTimeoutMs: row.totalTimeoutMs ?? DEFAULT_TIMEOUTS.totalTimeoutMs,
  }
}

/** Absent members remain unchanged. The row contains neither credentials nor the values of headers with a secret. */
function applyPatch(row: StoredProvider, patch: ProviderPut): StoredProvider {
  const { baseUrl, headers, credential, credentials, allowInsecureHttp, ...fields } = patch
  // A field that is not in the row is a type error here.
  const changed: Partial<Pick<StoredProvider, keyof typeof fields>> = omitUndefined(fields)
  const next = { ...row, ...changed }
  if (baseUrl !== undefined) next.baseUrl = baseUrl.replace(/\/+$/, '')
  if (headers) {
    const { plain, secret } = splitHeaders(headers)
    next.headers = { ...plain }
    next.secretHeaders = Object.keys(secret)
  }
  return next
}

/** Throws 400. */
function validateId(id: string): void {
  const parsed = ProviderId.safeParse(id)
  if (!parsed.success) {
    throw invalidRequest(`The id of a provider ${parsed.error.issues[0]?.message}.`, { param: 'id' })
  }
}

/**
 * Anyone on the network path can read and change plain http, so a credential is sent that way only on this machine and in
 * private networks, unless the user allows more. Throws 400 for a change of the address, a credential or the headers.
 */
export function refuseInsecureHttp(row: StoredProvider, patch: ProviderPut): void {
  const { baseUrl, credentialCount, secretHeaders } = row
  const isAffected = (['authorization', 'baseUrl', 'credential', 'credentials', 'headers'] as const).some(
    (field) => patch[field] !== undefined,
  )
  if (!isAffected || patch.allowInsecureHttp || baseUrl === null || !baseUrl.startsWith('http:')) return
  const sendsSecret =
    credentialCount > 0 || secretHeaders.length > 0 || usesMachineLogin(chooseAuthorization(row))
  if (!sendsSecret || locateHost(new URL(baseUrl).hostname) !== 'public') return
  throw invalidRequest(
    'This address uses http without encryption and is outside the local network, so others could read the credential on its way. Use an https address, or set "allowInsecureHttp": true to send it anyway.',
    { param: 'baseUrl', code: 'insecure_http' },
  )
}

/** Throws 400 for an unknown vendor without `apiFormat` or `baseUrl`. */
function createRow(id: string, known: KnownProvider | null, patch: ProviderPut, now: number): StoredProvider {
  const apiFormat = patch.apiFormat ?? known?.apiFormat
  const baseUrl = patch.baseUrl ?? (known?.address ? undefined : known?.baseUrl)
  if (apiFormat === undefined)
    throw invalidRequest('"apiFormat" is required for a provider that is not a known one.', {
      param: 'apiFormat',
    })
  if (baseUrl === undefined) {
    const rule = known?.address
      ? `"baseUrl" is required for ${known.name}: ${known.address.template}, with your own names in place of those in braces.`
      : '"baseUrl" is required for a provider that is not a known one.'
    throw invalidRequest(rule, { param: 'baseUrl' })
  }
  return createProvider({ id, name: known?.name ?? id, apiFormat, baseUrl, createdAt: now })
}

/**
 * The provider with the patch applied, and as it was before: of a new one, with the defaults of its vendor. Throws 400 for
 * what the provider cannot have.
 */
export function changeRow(
  id: string,
  stored: StoredProvider | undefined,
  patch: ProviderPut,
  now: number,
): { base: StoredProvider; changed: StoredProvider } {
  if (!stored) validateId(id)
  if (id === SANDBOX_ID) refuseFixed(patch, 'The sandbox is built in')
  if (isPlan(id)) refuseFixed(patch, 'The sign-in of a plan only goes to the address of its vendor')
  const base = stored ?? createRow(id, findKnownProvider(id), patch, now)
  refuseAuthorization(base, patch)
  return { base, changed: applyPatch(base, patch) }
}

/** How the provider is authorized; null: as its API format defines it. */
export function chooseAuthorization({ id, authorization }: StoredProvider): Authorization | null {
  return authorization ?? findKnownProvider(id)?.authorizations?.[0] ?? null
}

/** Whether its requests and its credential go where those of its vendor go by default. */
export function isAtVendor({ id, baseUrl }: StoredProvider): boolean {
  return baseUrl === null || baseUrl === findKnownProvider(id)?.baseUrl
}

/** Throws 400 for a kind of authorization that the known provider does not accept. */
function refuseAuthorization({ id }: StoredProvider, { authorization }: ProviderPut): void {
  const accepted = findKnownProvider(id)?.authorizations
  if (authorization === undefined || accepted === undefined || accepted.includes(authorization)) return
  throw invalidRequest(`"authorization" must be one of these for this provider: ${accepted.join(', ')}.`, {
    param: 'authorization',
  })
}

/** Throws 400 for anything but `enabled`, `priority` and the timeouts. */
function refuseFixed(patch: ProviderPut, reason: string): void {
  const { apiFormat, authorization, baseUrl, credential, credentials, headers, name, network } = patch
  const { spreadSessions } = patch
  const fixed = {
    apiFormat,
    authorization,
    baseUrl,
    credential,
    credentials,
    spreadSessions,
    headers,
    name,
    network,
  }
  const param = Object.entries(fixed).find(([, value]) => value !== undefined)?.[0]
  if (param === undefined) return
  throw invalidRequest(`${reason}: you can only enable or disable it, and set its priority.`, { param })
}

/** Whether it cannot be called without its own credential. */
function needsCredential(row: StoredProvider): boolean {
  return (findKnownProvider(row.id)?.needsCredential ?? false) && !usesMachineLogin(chooseAuthorization(row))
}

/** Whether it is a kind of server that users run themselves, at an address where they can: it is free. */
export function isLocal({ id, baseUrl }: Pick<StoredProvider, 'id' | 'baseUrl'>): boolean {
  if (!findKnownProvider(id)?.local || baseUrl === null) return false
  return locateHost(new URL(baseUrl).hostname) !== 'public'
}

/** The endpoint that a provider's row and its vendor describe; its secrets are not in the row. */
export function createEndpoint(row: StoredProvider): Omit<Endpoint, 'headers'> {
  const vendor = findKnownProvider(row.id)
  // Whatever the database says: the sign-in of a plan only goes to its vendor.
  const { apiFormat, baseUrl } = isPlan(row.id) && vendor ? vendor : row
  const isAtVendor = row.baseUrl === vendor?.baseUrl
  return {
    providerId: row.id,
    apiFormat,
    baseUrl: baseUrl ?? '',
    otherFormats: listOtherFormats(row, vendor),
    otherModels: row.apiFormat === vendor?.apiFormat ? vendor.otherModels : undefined,
    completions: row.apiFormat === vendor?.apiFormat ? (vendor.completions ?? null) : null,
    quirks: vendor?.quirks ?? {},
    passThroughPaths: getPassThroughPaths(row, vendor),
    hosting: vendor?.hosting ?? null,
    modelsPath: isAtVendor ? vendor?.modelsPath : undefined,
    authorization: chooseAuthorization(row),
    network: row.network,
    promptCache: row.promptCache,
    webSocket: row.webSocket ?? (isAtVendor && vendor?.webSocket === true),
    needsCredential: countUsedCredentials(row) > 0 || needsCredential(row),
    ...readTimeouts(row),
  }
}

/** How many stored credentials are used; none where a login of this machine is. */
export function countUsedCredentials(row: StoredProvider): number {
  return usesMachineLogin(chooseAuthorization(row)) ? 0 : row.credentialCount
}

/** The ids of the credentials that are used; the place of those that were stored without one. */
export function listCredentialIds(row: StoredProvider): string[] {
  return Array.from({ length: countUsedCredentials(row) }, (_, at) => row.credentialIds[at] ?? `${at + 1}`)
}

/** The paths of a server. If it is not known, only its API format is: it may serve all that OpenAI does. */
function getPassThroughPaths(
  { apiFormat, baseUrl }: StoredProvider,
  known: KnownProvider | null,
): PassThroughPaths {
  if (!known) return apiFormat.startsWith('openai-') ? DEFAULT_PATHS : {}
  const paths = known.passThrough ?? {}
  if (baseUrl === null || baseUrl === known.baseUrl) return paths
  // A URL of the vendor's own must not be sent the credential of another address.
  return Object.fromEntries(Object.entries(paths).filter(([, path]) => path.startsWith('/')))
}

/** The further formats of the known provider, unless another server has its id. */
function listOtherFormats(row: StoredProvider, known: KnownProvider | null): readonly ApiFormat[] {
  const isAtAddress = known?.address !== undefined || row.baseUrl === known?.baseUrl
  return isAtAddress && row.apiFormat === known?.apiFormat ? (known.otherFormats ?? []) : []
}

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
  const known = findKnownProvider(row.id)
  const accepted = known?.authorizations ?? []
  const missing = needsCredential(row) && row.credentialCount === 0
  return {
    ...pickFields(row, ProviderRecord),
    configured: true,
    enabled,
    hasCredential: row.credentialCount > 0,
    needsCredential: needsCredential(row),
    authorization:
      chooseAuthorization(row) ??
      (row.apiFormat === 'sandbox' ? null : getCodec(row.apiFormat).authorization),
    authorizations: accepted.length > 1 ? [...accepted] : [],
    address: known?.address ?? null,
    local: isLocal(row),
    ...readTimeouts(row),
    headerNames: [...Object.keys(row.headers), ...row.secretHeaders],
    modelCount,
    modelsFetchedAt: formatTime(row.modelsFetchedAt),
    consoleUrl: known?.consoleUrl ?? null,
    health: {
      state: !enabled ? 'off' : missing ? 'no-credential' : breaker.state === 'closed' ? 'ready' : 'resting',
      until: formatTime(breaker.until),
      lastError: breaker.lastError,
      lastErrorAt: formatTime(breaker.lastErrorAt),
    },
  }
}

/** The API's record of a known provider that the user has not configured. */
export function toUnconfiguredRecord(known: KnownProvider): ProviderRecord {
  const { id, name, apiFormat, baseUrl, address } = known
  const row = createProvider({ id, name, apiFormat, baseUrl: address ? null : baseUrl, createdAt: 0 })
  const breaker = { state: 'closed', until: null, lastError: null, lastErrorAt: null } as const
  return { ...toRecord(row, { enabled: false, breaker, modelCount: 0 }), configured: false }
}

/**
 * The new credentials as they are stored; null when the patch has none. Throws 400 when it has both fields or a duplicate,
 * and for a credential that is too long for a keychain or not of the authorization's form.
 */
export function parseCredentials(
  { credential, credentials }: ProviderPut,
  authorization: Authorization | null,
): readonly string[] | null {
  if (credentials === undefined) {
    if (credential === undefined) return null
    return credential === null ? [] : [toStored(credential, authorization, 'credential')]
  }
  if (credential !== undefined) {
    throw invalidRequest('Give "credential" or "credentials", not both.', { param: 'credentials' })
  }
  const stored = credentials.map((each, index) => toStored(each, authorization, `credentials[${index}]`))
  if (new Set(stored).size < stored.length) {
    throw invalidRequest('"credentials" contains the same credential twice.', { param: 'credentials' })
  }
  return stored
}

function toStored(entered: string, authorization: Authorization | null, param: string): string {
  const stored = checkForm(entered, authorization, param)
  if (Buffer.byteLength(stored) <= MAX_CREDENTIAL_BYTES) return stored
  throw invalidRequest(
    `The credential must be at most ${MAX_CREDENTIAL_BYTES} bytes, which is what keychains hold.`,
    { param },
  )
}

function checkForm(entered: string, authorization: Authorization | null, param: string): string {
  if (authorization === 'aws-access-key' && parseAccessKey(entered) === null) {
    throw invalidRequest(
      'An AWS access key is entered as ACCESS_KEY_ID:SECRET_ACCESS_KEY. A temporary one ends with :SESSION_TOKEN.',
      { param },
    )
  }
  if (authorization === 'entra-client-secret' && parseEntraSecret(entered) === null) {
    throw invalidRequest(
      'A client secret of Entra ID is entered as TENANT_ID:CLIENT_ID:CLIENT_SECRET. Enter the value of the secret, not its ID.',
      { param },
    )
  }
  if (authorization !== 'google-service-account') return entered
  const shortened = shortenServiceAccountKey(entered)
  if (shortened !== null) return shortened
  throw invalidRequest(
    'This is not the JSON of a Google service account key. Paste the whole file that Google Cloud created for it.',
    { param },
  )
}
