import { type Authorization, usesMachineLogin } from '../../../shared/api/authorization.ts'
import type { ApiFormat, ProviderFormat, ProviderTest } from '../../../shared/api/providers.ts'
import { locateHost } from '../../../shared/values/hosts.ts'
import { lowerLabel } from '../../../shared/values/locale.ts'
import type { Hosting, UpstreamModel } from '../../formats/chat/codec-types.ts'
import { UpstreamFailure } from '../../formats/chat/failure.ts'
import type { UpstreamPool } from '../../upstream/connection-pool.ts'
import { getModelLists } from '../../upstream/list-models.ts'
import { findKnownProvider } from '../providers/known-providers.ts'
import type { KnownProvider } from '../providers/provider-traits.ts'
import type { ModelListSource } from '../providers/registry.ts'

/** Time limits of a call to a base URL that the user did not enter, in milliseconds. */
const GUESS_LIMITS = { connectTimeoutMs: 2_000, firstByteTimeoutMs: 4_000, totalTimeoutMs: 5_000 }

type ListReader = (source: ModelListSource) => Promise<UpstreamModel[]>

/**
 * Reads the provider's list of models. After a failure that the base URL may have caused, it looks for the right one on
 * the same host.
 */
export async function testProvider(
  source: ModelListSource,
  read: ListReader,
  { clock, outbound }: Pick<UpstreamPool, 'clock' | 'outbound'>,
): Promise<ProviderTest> {
  const startedAt = clock.monotonic()
  const result = await readOrFail(source, read)
  const latencyMs = Math.round(clock.monotonic() - startedAt)
  if (!(result instanceof UpstreamFailure)) return { ok: true, latencyMs, modelCount: result.length }
  const suggestedBaseUrl = await findBaseUrl(source, result, read)
  const isUnreached =
    result.kind === 'timeout' || (result.kind === 'network' && result.reason !== 'certificate')
  const advice = isUnreached ? await outbound.advise(source.endpoint) : null
  return {
    ok: false,
    latencyMs,
    modelCount: 0,
    error: [describeTestFailure(result, source), advice, adviseAccess(result, source)]
      .filter((text) => text !== null)
      .join(' '),
    ...(suggestedBaseUrl !== null && { suggestedBaseUrl }),
  }
}

function readOrFail(source: ModelListSource, read: ListReader): Promise<UpstreamModel[] | UpstreamFailure> {
  return read(source).catch((error: unknown) => {
    if (error instanceof UpstreamFailure) return error
    throw error
  })
}

async function findBaseUrl(
  source: ModelListSource,
  failure: UpstreamFailure,
  read: ListReader,
): Promise<string | null> {
  const baseUrls = listOtherBaseUrls(source, failure)
  const results = await Promise.all(
    baseUrls.map((baseUrl) =>
      readOrFail({ ...source, endpoint: { ...source.endpoint, ...GUESS_LIMITS, baseUrl } }, read),
    ),
  )
  return baseUrls.find((_, index) => isAnswer(results[index])) ?? null
}

/** A list, or the rejection of the credential by a server that has one. */
function isAnswer(result: UpstreamModel[] | UpstreamFailure | undefined): boolean {
  if (result instanceof UpstreamFailure) return result.status === 401 || result.status === 403
  return result !== undefined
}

// The sentences of a failed test: what was called, what happened, and what to do.

interface CallAddress {
  /** The call, such as `GET https://host/v1/models`. */
  call: string
  host: string
  hostname: string
  known: KnownProvider | null
  /** Whether the user entered the base URL. */
  isEntered: boolean
  /** Whether a credential was sent. */
  hasCredential: boolean
  /** The provider's name for its credential. */
  credential: string
}

function describeTestFailure(failure: UpstreamFailure, source: ModelListSource): string {
  const { row, endpoint, credentialOrder } = source
  const [list] = getModelLists(endpoint)
  if (!list || failure.kind === 'credential') return failure.message
  const { host, hostname, origin, pathname } = new URL(list.url)
  const vendor = findKnownProvider(row.id)
  const usesLogin = usesMachineLogin(endpoint.authorization)
  const called: CallAddress = {
    call: `GET ${origin}${pathname}`,
    host,
    hostname,
    known: vendor,
    isEntered: vendor === null || vendor.local === true || endpoint.baseUrl !== vendor.baseUrl,
    hasCredential: credentialOrder.length > 0 || usesLogin,
    credential: nameCredential(endpoint.authorization),
  }
  if (failure.status !== null) return describeStatus(failure.status, failure, called)
  if (failure.kind === 'timeout' && failure.reason !== 'proxy') return describeTimeout(called)
  return describeReason(failure, called)
}

interface AccessAdvice {
  hosting: Hosting
  /** Of the cloud's own code or message. */
  message: RegExp
  advice: string
}

/**
 * Advice by the cloud's answer. Sources: Microsoft's documentation, "Role-based access control" and "Custom subdomains"; AWS's,
 * "Common errors" of Bedrock.
 */
const ACCESS_ADVICE: readonly AccessAdvice[] = [
  {
    hosting: 'azure',
    message: /subdomain/i,
    advice: 'Use the address of the resource itself: https://RESOURCE.openai.azure.com/openai/v1.',
  },
  {
    hosting: 'azure',
    message: /does not match resource tenant|tenant provided in token/i,
    advice: 'Sign in to the tenant of the resource: "az login --tenant TENANT".',
  },
  {
    hosting: 'azure',
    message: /does not have access|lacks the required data action|PermissionDenied/i,
    advice:
      'Give the login the role "Cognitive Services OpenAI User" on the resource, under its Access control. It takes effect after some minutes.',
  },
  {
    hosting: 'bedrock',
    message: /AccessDenied|not authorized to perform/,
    advice:
      'Allow its role bedrock:ListFoundationModels and bedrock:ListInferenceProfiles, and bedrock:InvokeModel for requests.',
  },
  {
    hosting: 'bedrock',
    message: /ExpiredToken|token .*expired/,
    advice: 'Sign in again with "aws sso login", or enter a new access key.',
  },
  {
    hosting: 'bedrock',
    message: /InvalidSignature|signature .*does not match|Signature expired/,
    advice: 'Check the secret access key, the region, and the clock of this computer.',
  },
  {
    hosting: 'bedrock',
    message: /UnrecognizedClient|security token .*invalid/,
    advice: 'Check the access key, and whether its account may use the region.',
  },
]

function adviseAccess(
  { status, code, message }: UpstreamFailure,
  { endpoint }: ModelListSource,
): string | null {
  if (status === null) return null
  const said = `${code} ${message}`
  const row = ACCESS_ADVICE.find((each) => each.hosting === endpoint.hosting && each.message.test(said))
  return row?.advice ?? null
}

function nameCredential(authorization: Authorization | null): string {
  if (usesMachineLogin(authorization)) return 'login of this computer'
  return authorization === null || HEADER_KEYS.has(authorization) ? 'API key' : 'credential'
}

const HEADER_KEYS: ReadonlySet<Authorization> = new Set(['bearer', 'api-key', 'x-api-key', 'x-goog-api-key'])

/** A shorter message of a server that rejects a credential says no more than that. */
const TELLING_LENGTH = 30

function describeStatus(status: number, { reason, message }: UpstreamFailure, called: CallAddress): string {
  const { call, credential, hasCredential, isEntered } = called
  const rest = reason === 'unexplained' ? '.' : `: ${message}`
  switch (status) {
    case 401: {
      if (!hasCredential) {
        return `The server requires ${credential === 'API key' ? 'an' : 'a'} ${credential} (401). Enter one.`
      }
      return `The server rejected the ${credential} (401)${message.length < TELLING_LENGTH ? '.' : rest}`
    }
    case 402:
      return `The account at the provider has no credit (402)${rest}`
    case 403:
      return `The server refused access (403)${rest}`
    case 404:
    case 405:
      return `${call} answered ${status}.${isEntered ? ' Check the base URL.' : ''}`
    case 429:
      return `The provider limits requests at the moment (429)${rest} Try again later.`
    default:
      if (status < 400) return `${call} answered with a redirect (${status}). Enter the URL that it leads to.`
      return `${call} answered ${status}${rest}`
  }
}

function describeTimeout({ host, known, isEntered }: CallAddress): string {
  if (known?.local) return `${host} did not answer in time. Is ${known.name} running?`
  const check = isEntered ? 'the base URL, and ' : ''
  return `${host} did not answer in time. Check ${check}whether a firewall or a proxy blocks it.`
}

function describeReason({ reason, message }: UpstreamFailure, called: CallAddress): string {
  const { call, host, hostname, isEntered } = called
  const check = isEntered ? `Check ${describeAddress(called)}` : 'Check your network connection'
  switch (reason) {
    case 'refused':
      return `Nothing answers at ${host}. ${adviseRefused(called)}`
    case 'unresolved':
      return `The host ${hostname} was not found. ${check}.`
    case 'unreachable':
      return `${host} cannot be reached from this computer. Check your network connection or VPN.`
    case 'certificate':
      return /authority/.test(message) ? message : `${message} Use a certificate that this computer trusts.`
    case 'proxy':
      return message
    case 'not-tls':
      return `${host} does not use https. Use a base URL that begins with http://.`
    case 'closed':
    case 'not-http':
      return `${host} closed the connection without an HTTP answer. Check whether the base URL must begin with http:// or https://.`
    case 'not-json':
      return `${call} answered with a web page or a text, not with a list of models. ${check}.`
    case 'unexplained':
    case null:
      return `${call} failed: ${message} ${check}${isEntered ? ' and the API format' : ''}.`
  }
}

function adviseRefused({ known, hostname, isEntered }: CallAddress): string {
  if (known?.local) return `Is ${known.name} running?`
  if (!isEntered) return 'Check your network connection.'
  return locateHost(hostname) === 'public'
    ? 'Check the base URL.'
    : 'Is the server running, and is the port right?'
}

/** What the user has entered of the base URL. */
function describeAddress({ known }: CallAddress): string {
  const [field, another] = known?.address?.fields ?? []
  if (!field) return 'the base URL'
  return `the ${lowerLabel(field.label)}${another ? ` and the ${lowerLabel(another.label)}` : ''}`
}

/** The usual endings of base URLs by API format: many servers have OpenAI's, at different paths. */
const ENDINGS: Readonly<Record<ApiFormat, readonly string[]>> = {
  'openai-chat': ['/v1', '/api/v1', '/openai/v1'],
  'openai-responses': ['/v1', '/api/v1', '/openai/v1'],
  'anthropic-messages': ['/v1', '/anthropic/v1'],
  'gemini-generate': ['/v1beta'],
  'bedrock-converse': [''],
}
const VERSION = /\/v\d+(beta)?$/

/** Failures of a server that expects the other of http and https. */
const SCHEME_STATUSES: ReadonlySet<number> = new Set([301, 302, 307, 308, 400, 426])
const SCHEME_REASONS: ReadonlySet<string | null> = new Set(['not-tls', 'not-http', 'closed'])

/** Base URLs on the same host that users mean when they enter one that fails so, the most probable first. */
function listOtherBaseUrls(
  { row, endpoint: { baseUrl, apiFormat, hosting } }: ModelListSource,
  { kind, reason, status }: UpstreamFailure,
): string[] {
  const known = findKnownProvider(row.id)
  const isVendors = known !== null && !known.local && baseUrl === known.baseUrl
  if (isVendors || hosting !== null || !URL.canParse(baseUrl)) return []
  const mayBeScheme = SCHEME_REASONS.has(reason) || (status !== null && SCHEME_STATUSES.has(status))
  const mayBePath = status === 404 || status === 405 || (kind === 'malformed' && reason !== 'not-http')
  const schemed = mayBeScheme ? withOtherScheme(baseUrl) : null
  return [
    ...(schemed === null ? [] : [schemed, ...withOtherPath(schemed, apiFormat)]),
    ...(mayBePath ? withOtherPath(baseUrl, apiFormat) : []),
  ]
}

/** Null where a credential would be sent unencrypted beyond the local network. */
function withOtherScheme(baseUrl: string): string | null {
  if (baseUrl.startsWith('http:')) return baseUrl.replace('http:', 'https:')
  return locateHost(new URL(baseUrl).hostname) === 'public' ? null : baseUrl.replace('https:', 'http:')
}

function withOtherPath(baseUrl: string, apiFormat: ProviderFormat): string[] {
  if (apiFormat === 'sandbox') return []
  const { origin } = new URL(baseUrl)
  if (VERSION.test(baseUrl)) return [baseUrl.replace(VERSION, '')]
  const endings = ENDINGS[apiFormat]
  return [...new Set([baseUrl, origin].flatMap((start) => endings.map((ending) => start + ending)))]
}
