// The environment variables of https://opentelemetry.io/docs/specs/otel/protocol/exporter/, as far as Tollgate follows them.

import { locateHost } from '../../../shared/values/hosts.ts'
import { OTLP_PROTOCOLS, type OtlpProtocol } from '../api/telemetry.ts'
import { HEADER_NAME, HEADER_VALUE } from '../api/telemetry-headers.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Where one signal is sent. */
export interface SignalTarget {
  url: string
  headers: Readonly<Record<string, string>>
  protocol: OtlpProtocol
}

/** Where the signals are sent; null for one that is not. */
export interface OtlpTargets {
  traces: SignalTarget | null
  metrics: SignalTarget | null
}

export function signalUrl(endpoint: string, signal: keyof OtlpTargets): string {
  return `${endpoint.replace(/\/+$/, '')}/v1/${signal}`
}

/** Costs, names of keys, and perhaps prompts and a credential: nothing for an unencrypted way through the internet. */
export function isInsecure({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && locateHost(hostname) === 'public'
}

/**
 * Reads the target from the environment; null when it names no address. A variable of one signal overrides the general one.
 * `refuse` gets each address that is insecure, which is not used.
 */
export function readOtlpEnvironment(env: Environment, refuse: (url: URL) => void): OtlpTargets | null {
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return null
  const targets = { traces: readSignal(env, 'traces', refuse), metrics: readSignal(env, 'metrics', refuse) }
  return targets.traces || targets.metrics ? targets : null
}

function readSignal(
  env: Environment,
  signal: keyof OtlpTargets,
  refuse: (url: URL) => void,
): SignalTarget | null {
  const name = signal.toUpperCase()
  const read = (suffix: string) =>
    env[`OTEL_EXPORTER_OTLP_${name}_${suffix}`]?.trim() || env[`OTEL_EXPORTER_OTLP_${suffix}`]?.trim()
  if (env[`OTEL_${name}_EXPORTER`]?.trim() === 'none') return null
  const signalEndpoint = env[`OTEL_EXPORTER_OTLP_${name}_ENDPOINT`]?.trim()
  const general = env.OTEL_EXPORTER_OTLP_ENDPOINT?.trim()
  const url = signalEndpoint || (general ? signalUrl(general, signal) : '')
  const parsed = URL.parse(url)
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return null
  if (isInsecure(parsed)) {
    refuse(parsed)
    return null
  }
  const protocol = OTLP_PROTOCOLS.find((each) => each === read('PROTOCOL')) ?? 'http/protobuf'
  return { url, headers: readPairs(read('HEADERS') ?? ''), protocol }
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
