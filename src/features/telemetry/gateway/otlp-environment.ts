// The environment variables of https://opentelemetry.io/docs/specs/otel/protocol/exporter/, as far as Tollgate follows them.
import { locateHost } from '../../../shared/values/hosts.ts'
import { HEADER_NAME, HEADER_VALUE } from '../api/telemetry-headers.ts'

/** Where traces and metrics are sent. */
export interface OtlpTarget {
  /** `/v1/traces` and `/v1/metrics` are appended. */
  endpoint: string
  headers: Readonly<Record<string, string>>
}

/** Costs, names of keys, and perhaps a credential: nothing for an unencrypted way through the internet. */
export function isInsecure(endpoint: string): boolean {
  const { protocol, hostname } = new URL(endpoint)
  return protocol === 'http:' && locateHost(hostname) === 'public'
}

/** The target that the environment names; null for none. */
export function readOtlpEnvironment(env: Readonly<Record<string, string | undefined>>): OtlpTarget | null {
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return null
  const endpoint = env.OTEL_EXPORTER_OTLP_ENDPOINT?.trim() ?? ''
  if (!/^https?:$/.test(URL.parse(endpoint)?.protocol ?? '')) return null
  return { endpoint, headers: readPairs(env.OTEL_EXPORTER_OTLP_HEADERS ?? '') }
}

/** `key=value,key2=value2` with percent-encoded values. */
function readPairs(text: string): Record<string, string> {
  const pairs: Record<string, string> = {}
  for (const pair of text.split(',')) {
    const at = pair.indexOf('=')
    const name = pair.slice(0, at).trim()
    const value = decode(pair.slice(at + 1).trim())
    if (at > 0 && HEADER_NAME.test(name) && HEADER_VALUE.test(value)) pairs[name] = value
  }
  return pairs
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
