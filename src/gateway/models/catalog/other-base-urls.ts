import { locateHost } from '../../../shared/hosts.ts'
import type { ApiFormat, ProviderFormat } from '../../../shared/providers.ts'
import type { UpstreamFailure } from '../../formats/chat/failure.ts'
import { knownProvider } from '../providers/known-providers.ts'
import type { ModelListSource } from '../providers/model-list-source.ts'

/** What base URLs usually end in, by the API format: OpenAI's is served by many servers, at different paths. */
const ENDINGS: Readonly<Record<ApiFormat, readonly string[]>> = {
  'openai-chat': ['/v1', '/api/v1', '/openai/v1'],
  'openai-responses': ['/v1', '/api/v1', '/openai/v1'],
  'anthropic-messages': ['/v1', '/anthropic/v1'],
  'gemini-generate': ['/v1beta'],
}
const VERSION = /\/v\d+(beta)?$/

/** Failures of a server that expects the other of http and https. */
const SCHEME_STATUSES: ReadonlySet<number> = new Set([301, 302, 307, 308, 400, 426])
const SCHEME_REASONS: ReadonlySet<string | null> = new Set(['not-tls', 'not-http', 'closed'])

/** Base URLs on the same host that users mean when they enter one that fails so, the most probable first. */
export function listOtherBaseUrls(
  { row, endpoint: { baseUrl, apiFormat, hosting } }: ModelListSource,
  { kind, reason, status }: UpstreamFailure,
): string[] {
  const known = knownProvider(row.id)
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
